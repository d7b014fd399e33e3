import * as z from 'zod/mini'
import { component, described } from '#shared/schema.ts'
import type { AnyDoc } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import type { ActionResult } from '#server/contracts/controller.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { msg } from '#shared/localized-message.ts'
import { actionParameters } from '../openapi/call-parameters.ts'
import type { WireMethod } from './method-registry.ts'
import { isObject, optionalText, requiredObject, requiredText, parseStructured } from '../request/parameter-values.ts'

/** Request to run an action of a document. */
export interface ActionRequest {
  doctype: string
  name: string
  method: string
  args: Record<string, unknown>
  /** The `modified` the client has; undefined if it did not send one. */
  modified: unknown
}

/**
 * Runs a declared action of the stored document; any document content the client sent is ignored. Returns the action's
 * result and the document afterwards (the previous one if the action deleted it).
 */
export async function runDeclaredAction(
  documents: Documents,
  session: Session,
  request: ActionRequest,
): Promise<{ result: ActionResult; doc: AnyDoc }> {
  const { doctype, name } = request
  const before = await documents.get(session, doctype, name)
  const { actions = {} } = documents.type(doctype)
  // The specification writes some names with capitals (candidatesForChangeOwner).
  const method = request.method.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
  if (!Object.hasOwn(actions, method)) {
    throw new AppError('forbidden', msg`${doctype} has no method ${request.method.slice(0, 140)} that can be called.`)
  }
  if (request.modified !== undefined && request.modified !== null && request.modified !== before.modified) {
    throw new AppError('conflict', msg`${doctype} ${name} was changed in the meantime. Reload it.`, {
      excType: 'TimestampMismatchError',
    })
  }
  const result = await documents.runAction(session, doctype, name, method, request.args)
  return { result, doc: await readAgain(documents, session, before) }
}

async function readAgain(documents: Documents, session: Session, before: AnyDoc): Promise<AnyDoc> {
  try {
    return await documents.get(session, before.doctype, before.name)
  } catch (error) {
    // The action may have deleted the document or removed the caller's read permission.
    if (error instanceof AppError && ['not_found', 'forbidden'].includes(error.code)) return before
    throw error
  }
}

/** `run_doc_method`: `docs` or `dt` and `dn` name the document, `method` the action, `args` its arguments. */
export const runDocMethod: WireMethod = {
  name: 'run_doc_method',
  description: 'Runs a declared action of a document. The document is loaded by its name; sent content is ignored.',
  documented: actionParameters,
  returns: described(z.unknown(), 'What the action returns, as its doctype says; absent when it returns nothing.'),
  extras: {
    docs: described(z.array(component('Document')).check(z.length(1)), 'The document as it is now.'),
  },
  access: 'self',
  tokens: 'any',
  verbs: ['POST', 'PUT'],
  rawParams: true,
  aboutDocument: true,
  async run(params, { session, documents, extra }) {
    const docs = params['docs'] === undefined ? null : requiredObject(params, 'docs')
    const source = docs === null ? { doctype: params['dt'], name: params['dn'] } : docs
    const args = parseStructured(params, 'args') ?? {}
    if (!isObject(args))
      throw new AppError('invalid', msg`The parameter args must be an object.`, {
        field: 'args',
        excType: 'FrappeTypeError',
      })
    const { result, doc } = await runDeclaredAction(documents, session, {
      doctype: requiredText(source, 'doctype'),
      name: requiredText(source, 'name'),
      method: requiredText(params, 'method'),
      args,
      modified: docs === null ? undefined : (optionalText(docs, 'modified') ?? undefined),
    })
    extra('docs', [doc])
    return result
  },
}
