import { AppError } from '#shared/errors.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { AnyDoc } from '#shared/doctype.ts'
import { say } from '#shared/sentence.ts'
import { expandLinks } from '../response/expand-links.ts'
import { listQuery, shapeRows, withoutNulls } from '../methods/rows.ts'
import { runDeclaredAction } from '../methods/run-doc-method.ts'
import type { Params } from '../request/parameters.ts'
import type { ApiPath } from '../request/request-target.ts'
import { flag, structured, isObject } from '../request/parameter-values.ts'

/** Status and body of an answer of `/api/resource`. */
export interface ResourceAnswer {
  status: number
  body: Record<string, unknown>
}

/** A wrong verb on a resource address (405), with the verbs that would do. */
export class VerbError extends AppError {
  readonly allow: string
  constructor(allow: string) {
    super('invalid', say`This address accepts ${allow} only.`, { excType: 'MethodNotAllowed' })
    this.allow = allow
  }
}

/** Answers `/api/resource/{doctype}` and `/api/resource/{doctype}/{name}`; every act passes the store's gate. */
export async function answerResource(
  documents: Documents,
  session: Session,
  verb: string,
  path: Extract<ApiPath, { kind: 'list' | 'document' }>,
  params: Params,
): Promise<ResourceAnswer> {
  if (session.kind === 'guest') throw new AppError('forbidden', say`Log in to use documents.`)
  const { doctype } = path
  if (path.kind === 'list') {
    if (verb === 'GET') {
      return ok({ data: shapeRows(await documents.list(session, doctype, listQuery(params)), params) })
    }
    if (verb === 'POST')
      return ok({ data: withoutNulls(await documents.insert(session, doctype, documentValues(params))) })
    throw new VerbError('GET, POST')
  }
  const { name } = path
  switch (verb) {
    case 'GET':
      if (params['run_method'] !== undefined) {
        refuseWritingMethod(documents, doctype, params['run_method'])
        return runOn(documents, session, doctype, name, params)
      }
      return ok({ data: withoutNulls(await readDocument(documents, session, doctype, name, params)) })
    case 'PUT':
      return ok({ data: withoutNulls(await documents.save(session, doctype, name, documentValues(params))) })
    case 'DELETE':
      return { status: 202, body: { ...(await documents.delete(session, doctype, name)), data: 'ok', message: 'ok' } }
    case 'POST':
      return runOn(documents, session, doctype, name, params)
    default:
      throw new VerbError('GET, POST, PUT, DELETE')
  }
}

/** GET never writes: of the document methods it runs those only that say they read. */
function refuseWritingMethod(documents: Documents, doctype: string, method: unknown): void {
  const { actions = {} } = documents.type(doctype)
  const action = typeof method === 'string' && Object.hasOwn(actions, method) ? actions[method] : undefined
  if (action?.reads !== true) throw new AppError('forbidden', say`Document methods that write are called with POST.`)
}

async function readDocument(
  documents: Documents,
  session: Session,
  doctype: string,
  name: string,
  params: Params,
): Promise<AnyDoc> {
  const doc = await documents.get(session, doctype, name)
  return flag(params, 'expand_links', false) ? expandLinks(documents, session, doc) : doc
}

async function runOn(
  documents: Documents,
  session: Session,
  doctype: string,
  name: string,
  params: Params,
): Promise<ResourceAnswer> {
  const { run_method: method, csrf_token: _token, ...args } = params
  if (typeof method !== 'string' || method === '') {
    throw new AppError('invalid', say`The parameter run_method is missing.`, { field: 'run_method' })
  }
  const { result, doc } = await runDeclaredAction(documents, session, {
    doctype,
    name,
    method,
    args,
    modified: undefined,
  })
  return ok({ docs: [doc], ...(result === null ? {} : { data: result, message: result }) })
}

/** The fields of a body; what belongs to the call is left out. A form may carry them as JSON in `data`. */
function documentValues(params: Params): Record<string, unknown> {
  const { csrf_token: _token, cmd: _cmd, doctype: _doctype, ...values } = params
  if (typeof values['data'] === 'string' && Object.keys(values).length === 1) {
    const data = structured(params, 'data')
    if (isObject(data)) return data
  }
  return values
}

function ok(body: Record<string, unknown>): ResourceAnswer {
  return { status: 200, body }
}
