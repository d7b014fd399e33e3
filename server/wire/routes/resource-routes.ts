import type { FastifyPluginCallback, FastifyRequest, HTTPMethods } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { changesNothing } from '#shared/action-state.ts'
import type { AnyDoc } from '#shared/doctype.ts'
import { msg } from '#shared/localized-message.ts'
import { listQuery, shapeRows, withoutEmptyFields } from '../methods/rows.ts'
import { runDeclaredAction } from '../methods/run-doc-method.ts'
import type { WireServices } from '../options.ts'
import { booleanParameter, isObject, parseStructured } from '../request/parameter-values.ts'
import type { Params } from '../request/parameters.ts'
import { contextOf, type RequestContext } from '../request/request-context.ts'
import { expandLinks } from '../response/expand-links.ts'
import { MethodNotAllowedError } from '../response/method-not-allowed.ts'
import { sendMethodResponse } from '../response/send-response.ts'
import { frappeVerbs, nameInPath, readingVerbs, restOfPath, withSlash } from './routing.ts'

/** A request with the decoded names from its path. */
interface DocumentRequest {
  readonly doctype: string
  /** '' for a list. */
  readonly name: string
  readonly context: RequestContext
}

type Handler = (services: WireServices, request: DocumentRequest) => Promise<Record<string, unknown>>

interface Verb {
  readonly verbs: HTTPMethods[]
  readonly handle: Handler
  /** Default 200. */
  readonly status?: number
}

const listVerbs: readonly Verb[] = [
  { verbs: readingVerbs, handle: readList },
  { verbs: ['POST'], handle: createDocument },
]

const documentVerbs: readonly Verb[] = [
  { verbs: readingVerbs, handle: readDocument },
  { verbs: ['POST'], handle: runMethod },
  { verbs: ['PUT'], handle: saveDocument },
  { verbs: ['DELETE'], handle: deleteDocument, status: 202 },
]

/** `/resource/{doctype}` and `/resource/{doctype}/{name}`, below the API's prefix. The store checks all permissions. */
export const resourceRoutes: FastifyPluginCallback<{ services: WireServices }> = (app, { services }, done) => {
  app.addHook('preHandler', async (request) => {
    const context = contextOf(request)
    context.aboutDocument = true
    if (context.session.kind === 'guest') throw new AppError('forbidden', msg`Log in to use documents.`)
  })
  const add = (url: string, accepted: readonly Verb[]) => {
    for (const { verbs, handle, status = 200 } of accepted) {
      app.route<{ Params: { doctype: string; '*'?: string } }>({
        method: verbs,
        url,
        config: { api: 'document' },
        handler: async (request, reply) =>
          sendMethodResponse(
            request,
            reply,
            { status, body: await handle(services, documentRequest(request)) },
            services,
          ),
      })
    }
    const known = accepted.flatMap(({ verbs }) => verbs)
    app.route({
      method: frappeVerbs.filter((verb) => !known.includes(verb)),
      url,
      config: { api: 'document' },
      handler: () => {
        throw new MethodNotAllowedError(known.filter((verb) => verb !== 'HEAD').join(', '))
      },
    })
  }
  for (const url of withSlash('/resource/:doctype')) add(url, listVerbs)
  // The name extends to the end of the path and may contain slashes.
  add('/resource/:doctype/*', documentVerbs)
  done()
}

function documentRequest(request: FastifyRequest<{ Params: { doctype: string; '*'?: string } }>): DocumentRequest {
  const context = contextOf(request)
  const { doctype, '*': rest } = request.params
  return {
    doctype: nameInPath(doctype),
    name: rest === undefined ? '' : restOfPath(rest, context.path),
    context,
  }
}

async function readList({ documents }: WireServices, { doctype, context }: DocumentRequest) {
  const { session, params } = context
  return { data: shapeRows(await documents.list(session, doctype, listQuery(params)), params) }
}

async function createDocument({ documents }: WireServices, { doctype, context }: DocumentRequest) {
  const doc = await documents.insert(context.session, doctype, documentValues(context.params))
  return { data: withoutEmptyFields(doc) }
}

async function readDocument(services: WireServices, request: DocumentRequest) {
  const { documents } = services
  const { doctype, name, context } = request
  const { session, params } = context
  if (params['run_method'] !== undefined) {
    checkReadingMethod(services, doctype, params['run_method'])
    return runMethod(services, request)
  }
  const doc: AnyDoc = await documents.get(session, doctype, name)
  return {
    data: withoutEmptyFields(
      booleanParameter(params, 'expand_links', false) ? await expandLinks(documents, session, doc) : doc,
    ),
  }
}

/** Throws 403 unless the action is declared to change nothing: `GET` never writes. */
function checkReadingMethod({ documents }: WireServices, doctype: string, method: unknown): void {
  const { actions = {} } = documents.type(doctype)
  const action = typeof method === 'string' && Object.hasOwn(actions, method) ? actions[method] : undefined
  if (!action || !changesNothing(action))
    throw new AppError('forbidden', msg`Document methods that write are called with POST.`)
}

async function saveDocument({ documents }: WireServices, { doctype, name, context }: DocumentRequest) {
  const doc = await documents.save(context.session, doctype, name, documentValues(context.params))
  return { data: withoutEmptyFields(doc) }
}

async function deleteDocument({ documents }: WireServices, { doctype, name, context }: DocumentRequest) {
  // `data` is Frappe's key; older versions and the SDK's type use `message`.
  return { ...(await documents.delete(context.session, doctype, name)), data: 'ok', message: 'ok' }
}

async function runMethod({ documents }: WireServices, { doctype, name, context }: DocumentRequest) {
  const { run_method: method, csrf_token: _token, ...args } = context.params
  if (typeof method !== 'string' || method === '') {
    throw new AppError('invalid', msg`The parameter run_method is missing.`, { field: 'run_method' })
  }
  const action = { doctype, name, method, args, modified: undefined }
  const { result, doc } = await runDeclaredAction(documents, context.session, action)
  return { docs: [doc], ...(result === null ? {} : { data: result, message: result }) }
}

/** Removes call parameters from the body's fields. A form may send all fields as JSON in `data`. */
function documentValues(params: Params): Record<string, unknown> {
  const { csrf_token: _token, cmd: _cmd, doctype: _doctype, ...values } = params
  if (typeof values['data'] === 'string' && Object.keys(values).length === 1) {
    const data = parseStructured(params, 'data')
    if (isObject(data)) return data
  }
  return values
}
