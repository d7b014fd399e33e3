import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { runTask } from '#server/platform/log/loop-watchdog.ts'
import type { WireServices } from '../options.ts'
import { clientReader } from '../request/client-address.ts'
import { openContext, type RequestContext } from '../request/request-context.ts'
import { requestTask } from '../request/request-task.ts'
import { commonHeaders } from '../response/headers.ts'
import { checkFixedPart } from '../routes/routing.ts'

/** Opens the context of a request and sets the headers of every response. */
export type OpenRequest = (request: FastifyRequest, reply: FastifyReply, addressedMethod?: string) => RequestContext

/** Creates the function that opens a request. */
export function createOpenRequest({ config }: WireServices): OpenRequest {
  const readClient = clientReader(config.trustedProxies)
  const headers = commonHeaders(config)
  return (request, reply, addressedMethod) => {
    reply.headers(headers)
    reply.header('x-frappe-request-id', request.id)
    return openContext(request, readClient(request.raw), addressedMethod)
  }
}

/** The first hooks, which open and close every request. */
export function openRequests(app: FastifyInstance, openRequest: OpenRequest): void {
  app.decorateRequest('requestContext', null)
  app.addHook<{ Params: { method?: string } }>('onRequest', async (request, reply) => {
    const isMethod = request.routeOptions.config.api === 'method'
    openRequest(request, reply, isMethod ? request.params.method : undefined)
    if (request.method === 'OPTIONS') return reply.code(200).send()
    checkFixedPart(request)
    return undefined
  })
  // The async context of a request is lost when its body arrives, because those events belong to the connection.
  app.addHook('preValidation', (request, _reply, done) => runTask(requestTask(request.raw), done))
  app.addHook('onSend', async (request, _reply, payload) => {
    await request.requestContext?.upload?.discard()
    return payload
  })
}
