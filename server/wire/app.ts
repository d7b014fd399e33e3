import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createApiDocs } from './routes/reference-routes.ts'
import { admit, answerCall, openExchange, readCall } from './routes/method-routes.ts'
import { acceptBodies } from './request/body.ts'
import { bodyLimit, bodyLimitOf, countPendingBodies, limitBody } from './request/body-limits.ts'
import { compressAnswers } from './response/compression.ts'
import { runTask } from '#server/platform/log/loop-watchdog.ts'
import type { CallSetting } from './methods/call-method.ts'
import { clientReader } from './request/client-address.ts'
import { acceptCookies } from './request/cookies.ts'
import { exchangeOf, hasCommand, type Exchange } from './request/request-context.ts'
import { isStoredFilePath, sendStoredFile } from './files/send-download.ts'
import { pageNotFound, sendFailure } from './response/send-error.ts'
import { commonHeaders, isHttps } from './response/headers.ts'
import { sendAlive, sendMetrics, sendReady } from './routes/health-routes.ts'
import type { WireOptions } from './options.ts'
import {
  isFilePath,
  notFoundText,
  sendFile,
  sendHelp,
  sendRobots,
  sendShell,
  serveFiles,
  type ShellSource,
} from './routes/page-routes.ts'
import { isApiPath } from './request/request-target.ts'
import { requestTask } from './request/request-task.ts'
import { VerbError } from './routes/resource-routes.ts'
import { iconOf } from './pages/shell.ts'

/** Answers one request of Node's HTTP server. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Builds the HTTP application: one route for everything, dispatched by path. */
export function createApp(
  options: WireOptions,
  setting: CallSetting,
  shell: ShellSource,
  serverFactory: (handler: RequestHandler) => Server,
): FastifyInstance {
  const { config } = options
  const readClient = clientReader(config.trustedProxies)
  const headers = commonHeaders(config)
  const sendDocs = createApiDocs(options, setting.registry)
  const pending = countPendingBodies()
  const app = fastify({
    serverFactory: (handler) => serverFactory(handler as RequestHandler),
    bodyLimit,
    logger: false,
    genReqId: () => randomUUID(),
    // Parameters are read by the wire's own rules, once, and only for calls.
    routerOptions: { querystringParser: () => ({}) },
    // An address the router cannot decode gets here before any hook ran.
    frameworkErrors: (error, request, reply) => {
      begin(request as FastifyRequest, reply as FastifyReply)
      sendFailure(error, request as FastifyRequest, reply as FastifyReply, options, setting.cookies).catch(
        (failure: unknown) => {
          options.log.error('A failure could not be sent', { error: failure })
          reply.raw.destroy()
        },
      )
    },
  })
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(headers)
    reply.header('x-frappe-request-id', request.id)
    return openExchange(request, readClient(request.raw))
  }
  app.decorateRequest('exchange', null)
  acceptBodies(app)
  acceptCookies(app, isHttps(config))
  compressAnswers(app)
  serveFiles(app, options.pages.dir)
  app.setErrorHandler((error, request, reply) => sendFailure(error, request, reply, options, setting.cookies))
  // Files that are not there, and verbs nobody speaks.
  app.setNotFoundHandler((request, reply) => {
    if (!isApiPath(exchangeOf(request).path)) return notFoundText(reply)
    throw new VerbError('GET, POST, PUT, DELETE')
  })

  app.addHook('onRequest', async (request, reply) => {
    const exchange = begin(request, reply)
    if (request.method === 'OPTIONS') return reply.code(200).send()
    if (needsIdentity(request.method, exchange)) await admit(request, options)
    return undefined
  })
  app.addHook('preParsing', async (request, reply, body) => {
    const isChunked = request.headers['transfer-encoding'] !== undefined
    if (!isChunked && request.headers['content-length'] === undefined) return body
    const { session, client, path } = exchangeOf(request)
    const isGuest = session.kind === 'guest'
    const limit = bodyLimitOf(request.headers, { isGuest, path })
    const end = pending.admit(isGuest ? client.ip : session.user, request.headers, limit)
    if (end !== null) reply.raw.once('close', end)
    if (!isChunked) return body
    // What is left unread of a stranger's body that is too long is not waited for.
    if (isGuest) reply.header('connection', 'close')
    return limitBody(body as Readable, limit)
  })
  // What answers go through has to be there before the route is.
  app.after(() =>
    app.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: '*',
      // What was known of the task ended where the body arrived.
      handler: (request, reply) =>
        runTask(
          requestTask(request.raw),
          () => sendDocs(request, reply) ?? answer(request, reply, options, setting, shell),
        ),
    }),
  )
  return app
}

/** Paths that are the same for everybody; files of the app are checked apart. */
const plainPaths: ReadonlySet<string> = new Set([
  '/healthz',
  '/readyz',
  '/metrics',
  '/robots.txt',
  '/llms.txt',
  '/favicon.ico',
  '/helpdesk',
  '/api/openapi.json',
  '/api/docs',
])

function needsIdentity(verb: string, exchange: Exchange): boolean {
  const { path } = exchange
  const reading = verb === 'GET' || verb === 'HEAD'
  return !reading || hasCommand(exchange) || !(plainPaths.has(path) || (path.startsWith('/web/') && isFilePath(path)))
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  options: WireOptions,
  setting: CallSetting,
  shell: ShellSource,
): Promise<FastifyReply> {
  const exchange = exchangeOf(request)
  const { path, query, client } = exchange
  const reading = request.method === 'GET' || request.method === 'HEAD'
  const readsPlain = reading && !hasCommand(exchange)
  if (readsPlain) {
    const sent = sendPlain(request, reply, path, options, shell)
    if (sent !== null) return sent
  }
  if (readsPlain && options.files !== null && isStoredFilePath(path))
    return sendStoredFile(request, reply, options.files, options)
  try {
    const call = await readCall(request, options.files)
    if (call !== null) return await answerCall(request, reply, call, setting, options.config.url)
  } finally {
    await exchange.upload?.discard()
  }
  if (!reading) throw pageNotFound()
  const isApp = path === '/web' || path.startsWith('/web/')
  if (path !== '/' && !isApp) throw pageNotFound()
  if (!sameHost(client.host, options.config.url)) {
    const target = path === '/' ? '/web' : path
    return reply
      .header('cache-control', 'no-store')
      .redirect(`${options.config.url}${target}${query === '' ? '' : `?${query}`}`, 302)
  }
  if (path === '/') return reply.header('cache-control', 'no-store').redirect('/web', 302)
  return sendShell(request, reply, shell, options, setting)
}

/** Answers that need no session; null for every other path. */
function sendPlain(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  options: WireOptions,
  shell: ShellSource,
): FastifyReply | Promise<FastifyReply> | null {
  switch (path) {
    case '/healthz':
      return sendAlive(reply)
    case '/readyz':
      return sendReady(reply, options)
    case '/metrics':
      return sendMetrics(request, reply, options)
    case '/robots.txt':
      return sendRobots(reply)
    case '/llms.txt':
      return notFoundText(reply)
    case '/helpdesk':
      return sendHelp(request, reply, options)
    case '/favicon.ico':
      return sendFavicon(reply, shell)
    default:
      return path.startsWith('/web/') && isFilePath(path) ? sendFile(reply, path) : null
  }
}

/** Browsers ask for this name on their own; the page knows the file. */
async function sendFavicon(reply: FastifyReply, shell: ShellSource): Promise<FastifyReply> {
  const icon = iconOf(await shell.template('/web'))
  return icon === null ? notFoundText(reply) : reply.redirect(icon, 302)
}

/** Whether a `Host` names the public address; the scheme's own port may be left out or not. */
export function sameHost(host: string, url: string): boolean {
  const own = new URL(url)
  const port = own.protocol === 'https:' ? ':443' : ':80'
  return host === own.host || host === `${own.host}${own.port === '' ? port : ''}`
}
