import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { fastify, type FastifyInstance } from 'fastify'
import { dispatchCalls } from './hooks/call-by-parameters.ts'
import { identifyCallers } from './hooks/identify-caller.ts'
import { limitBodies } from './hooks/limit-bodies.ts'
import { createOpenRequest, openRequests } from './hooks/open-request.ts'
import type { WireServices } from './options.ts'
import { acceptBodies } from './request/body.ts'
import { bodyLimit } from './request/body-limits.ts'
import { acceptCookies } from './request/cookies.ts'
import { contextOf } from './request/request-context.ts'
import { isApiPath } from './request/request-target.ts'
import { compressResponses } from './response/compression.ts'
import { isHttps } from './response/headers.ts'
import { MethodNotAllowedError } from './response/method-not-allowed.ts'
import { pageNotFound } from './response/page-not-found.ts'
import { sendError } from './response/send-error.ts'
import { apiRoutes } from './routes/api-routes.ts'
import { fileRoutes } from './routes/file-routes.ts'
import { healthRoutes } from './routes/health-routes.ts'
import { pageRoutes, sendNotFoundText } from './routes/page-routes.ts'
import { rawRoutes } from './routes/raw-routes.ts'
import { referenceRoutes } from './routes/reference-routes.ts'
import { uploadRoutes } from './routes/upload-routes.ts'
import { frappeVerbs, routerSettings } from './routes/routing.ts'

/** Handles one request of Node's HTTP server. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Builds the HTTP application. Every request passes the hooks in this order: open its context, identify and count its
 * caller, limit and read its body, reject forged calls, run a method named by `cmd`.
 */
export function createApp(services: WireServices, serverFactory: (handler: RequestHandler) => Server): FastifyInstance {
  const openRequest = createOpenRequest(services)
  const app = fastify({
    ...routerSettings,
    serverFactory: (handler) => serverFactory(handler as RequestHandler),
    bodyLimit,
    logger: false,
    genReqId: () => randomUUID(),
    // Addresses the router cannot decode arrive here before any hook ran.
    frameworkErrors: (error, request, reply) => {
      openRequest(request, reply)
      sendError(error, request, reply, services).catch((failure: unknown) => {
        services.log.error('A failure could not be sent', { error: failure })
        reply.raw.destroy()
      })
    },
  })
  acceptBodies(app)
  acceptCookies(app, isHttps(services.config))
  compressResponses(app)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, services))
  // Paths that do not exist, and verbs other than Frappe's.
  app.setNotFoundHandler((request, reply) => {
    if (!isApiPath(contextOf(request).path)) return sendNotFoundText(reply)
    throw new MethodNotAllowedError('GET, POST, PUT, DELETE')
  })

  openRequests(app, openRequest)
  identifyCallers(app, services)
  limitBodies(app)
  dispatchCalls(app, services)

  app.register(healthRoutes, { services })
  app.register(pageRoutes, { services })
  app.register(referenceRoutes, { services })
  app.register(apiRoutes, { services })
  if (services.files !== null) app.register(fileRoutes, { services, files: services.files })
  if (services.uploads !== null) app.register(uploadRoutes, { services, uploads: services.uploads })
  app.register(rawRoutes, { services, routes: services.rawRoutes })
  app.register(nothing)
  return app
}

/** All other addresses: the hooks have already run what `cmd` named, so this is a 404. */
const nothing = (app: FastifyInstance, _options: object, done: () => void): void => {
  app.route({
    method: frappeVerbs,
    url: '*',
    handler: () => {
      throw pageNotFound()
    },
  })
  done()
}
