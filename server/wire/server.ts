import { portOf } from '#server/platform/network/port-of.ts'
import { rmSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { runTask } from '#server/platform/log/loop-watchdog.ts'
import { StartupError, systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { createApp, type RequestHandler } from './app.ts'
import { createGuardedServer } from './connections/guarded-server.ts'
import { openDevPages, type DevPages } from './pages/dev-pages.ts'
import { fileMethods } from './files/file-methods.ts'
import { bootMethod, pingMethod } from './methods/basic.ts'
import { clientReadMethods } from './methods/client-read.ts'
import { batchReadMethods } from './methods/batch-reads.ts'
import { clientWriteMethods } from './methods/client-write.ts'
import { deskMethods } from './methods/desk.ts'
import { permissionMethods } from './methods/permissions.ts'
import { runDocMethod } from './methods/run-doc-method.ts'
import type { WebOptions, Wire, WireOptions, WireServices } from './options.ts'
import { createRegistry } from './methods/method-registry.ts'
import { createReplacedSids } from './request/replaced-sids.ts'
import { createSessionCookies } from './response/session-cookies.ts'
import { openShell } from './pages/shell.ts'
import { createDestinations } from './processes/destination.ts'
import { createForwarder } from './processes/forward.ts'
import { takeForwarded } from './processes/forwarded.ts'
import type { WebLinks } from './processes/web-links.ts'
import { createSecondListener } from './sockets/second-listener.ts'
import { createSocketServer, socketPath, type SocketServer } from './sockets/socket-server.ts'
import { markAuthenticated, rejectUpgrade } from './connections/upgrades.ts'

/** How long running requests may still take at shutdown. */
const shutdownTimeoutMs = 5000

/**
 * Creates the server for Frappe's protocol: HTTP, pages and sockets on one port, with hosted sites checked first. Throws if
 * a method is declared incorrectly or the web app is not built.
 */
export async function createWire(options: WireOptions): Promise<Wire> {
  const { config } = options
  const dev = options.pages.devRoot ? await openDevPages(options.pages.devRoot) : null
  const services: WireServices = {
    ...options,
    registry: createRegistry([
      pingMethod,
      bootMethod((session) => options.pages.boot(session)),
      runDocMethod,
      ...clientReadMethods,
      ...batchReadMethods,
      ...clientWriteMethods,
      ...deskMethods,
      ...permissionMethods,
      ...(options.files === null ? [] : fileMethods(options.files)),
      ...options.methods,
    ]),
    cookies: createSessionCookies(options.sessions),
    replacedSids: createReplacedSids(undefined, options.web?.replaced),
    shell: dev ?? (await openShell(options.pages.dir)),
  }
  const sockets = await createSocketServer(options)
  const app = createApp(services, (handler) => createHttpServer(handler, options, sockets, dev))
  await app.ready()
  const { web = null } = options
  const shared = web?.handOver ? createSharedListener(app.server, web.handOver) : null
  const second = config.socketioPort === 0 ? null : createSecondListener(sockets, config.url, options.log)

  const servers = [app.server, ...(second === null ? [] : [second])].map((server) => ({
    server,
    connections: connectionsOf(server),
  }))

  return {
    fastify: app,
    methods: services.registry.all,
    emitToUser: sockets.emitToUser,
    take: (socket) => serve(app.server, socket),
    sidReplaced: services.replacedSids.addHere,
    async listen() {
      if (web) await listenLocally(app.server, web.links.pathOf(web.links.own))
      if (web === null || shared) await open(shared ?? app.server, config.port, config.host, 'PORT')
      if (second !== null) await openSecond(second, options)
      return {
        url: config.url,
        port: web !== null && !shared ? config.port : portOf(shared ?? app.server),
        socketioPort: second?.listening ? portOf(second) : null,
      }
    },
    async close() {
      shared?.close()
      await Promise.all([
        ...servers.map(({ server, connections }) => finish(server, connections)),
        sockets.close(),
        dev?.close(),
      ])
      await app.close()
    },
  }
}

/** One server for everything; host and path decide the handler before anything is read. */
function createHttpServer(
  handler: RequestHandler,
  options: WireOptions,
  sockets: SocketServer,
  dev: DevPages | null,
): Server {
  const { sites } = options
  const { hostname } = new URL(options.config.url)
  // The dashboard's own name is never a site's, even if it once was.
  const isSite = ({ headers: { host = '' } }: IncomingMessage) =>
    sites !== null && host.toLowerCase().replace(/:\d*$/, '') !== hostname && sites.ownsHost(host)

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (sites !== null && isSite(request))
      runTask({ describe: () => `local site ${request.headers.host}` }, () => sites.handleRequest(request, response))
    else if (request.url?.startsWith(socketPath)) sockets.handleRequest(request, response)
    else if (dev !== null && request.url?.startsWith('/web/'))
      dev.handleRequest(request, response, () => handler(request, response))
    else handler(request, response)
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    // Sites do not support websockets.
    if (isSite(request)) rejectUpgrade(socket, '501 Not Implemented')
    else if (request.url?.startsWith(socketPath)) sockets.handleUpgrade(request, socket, head)
    else if (dev === null) rejectUpgrade(socket, '400 Bad Request')
    else {
      // Hot reload connections of the developer.
      markAuthenticated(socket)
      dev.handleUpgrade(request, socket, head)
    }
  }

  const { web } = options
  if (!web) return createGuardedServer(onRequest, options.log).on('upgrade', onUpgrade)
  return sharingServer(web.links, options, { onRequest, onUpgrade })
}

/** The server of one of several web processes: it answers its part of the requests and passes the others on. */
function sharingServer(
  links: WebLinks,
  { config, log }: WireOptions,
  own: {
    onRequest(request: IncomingMessage, response: ServerResponse): void
    onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  },
): Server {
  const destinationOf = createDestinations(links, config.url)
  const forwarder = createForwarder(links)
  const server = createGuardedServer((request, response) => {
    const to = destinationOf(request)
    if (to === links.own) own.onRequest(request, response)
    else forwarder.request(to, request, response)
  }, log).on('upgrade', (request, socket, head) => {
    const to = destinationOf(request)
    if (to === links.own) own.onUpgrade(request, socket, head)
    else forwarder.upgrade(to, request, socket, head)
  })
  const identify = (request: IncomingMessage) => {
    if (!takeForwarded(request, links.token)) request.socket.destroy()
  }
  return server.prependListener('request', identify).prependListener('upgrade', identify)
}

/** Listens on the port and gives each connection to the process whose turn it is. */
function createSharedListener(server: Server, handOver: NonNullable<WebOptions['handOver']>): TcpServer {
  return createTcpServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) =>
    handOver(socket, (own) => serve(server, own)),
  )
}

/** Serves a connection that another listener accepted. */
function serve(server: Server, socket: Socket): void {
  socket.allowHalfOpen = true
  server.emit('connection', socket)
  socket.resume()
}

function listenLocally(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // A process that was killed leaves it behind.
    rmSync(path, { force: true })
    server.listen({ path, backlog }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/**
 * Maximum queue of connections waiting to be accepted; the system may lower it (Linux: net.core.somaxconn, 4096). Waiting
 * longer than with Node's default of 511 is better than being dropped: clients retry only after a full second (RFC 6298).
 */
const backlog = 4096

function open(server: TcpServer, port: number, host: string, setting: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => reject(explainListen(error, port, host, setting))
    server.once('error', failed)
    server.listen({ port, host, backlog }, () => {
      server.off('error', failed)
      resolve()
    })
  })
}

async function openSecond(server: TcpServer, { config, secondPortIsOptional, log }: WireOptions): Promise<void> {
  try {
    await open(server, config.socketioPort, config.host, 'SOCKETIO_PORT')
  } catch (error) {
    if (!secondPortIsOptional) throw error
    log.warn('Unmodified Frappe clients cannot connect', { error })
  }
}

function explainListen(error: Error, port: number, host: string, setting: string): Error {
  const example = `${setting}=${port + 1} npm start`
  switch (systemErrorCode(error)) {
    case 'EADDRINUSE':
      return new StartupError(
        `Port ${port} on ${host} is already in use by another program.`,
        `Stop that program, or choose another port: ${example}`,
        error,
      )
    case 'EACCES':
      return new StartupError(
        `This user cannot open port ${port}.`,
        `Choose a port above 1023: ${setting}=8080 npm start`,
        error,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(
        `The address ${host} does not belong to this machine.`,
        'Set HOST to 127.0.0.1, to 0.0.0.0 or to an address of this machine.',
        error,
      )
    default:
      return error
  }
}

/** All connections of a server, including upgraded ones, which Node does not track. */
function connectionsOf(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

/** Stops accepting connections and waits for running requests, at most `shutdownTimeoutMs`. */
async function finish(server: Server, connections: ReadonlySet<Socket>): Promise<void> {
  if (!server.listening) return
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const { promise: emptied, resolve: empty } = Promise.withResolvers<void>()
  // Otherwise a connection that becomes idle while the server closes stays open until its keep-alive ends. The server itself does
  // not wait for connections that another listener accepted.
  const sweep = setInterval(() => {
    server.closeIdleConnections()
    if (connections.size === 0) empty()
  }, 50)
  const deadline = setTimeout(() => {
    for (const socket of connections) socket.destroy()
  }, shutdownTimeoutMs)
  await closed
  if (connections.size > 0) await emptied
  clearInterval(sweep)
  clearTimeout(deadline)
}
