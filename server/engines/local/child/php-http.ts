import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { posix } from 'node:path'
import { maxBodyBytes } from '../limits.ts'
import { decodePath, encodePath, serveStatic } from '../sites/static-files.ts'
import { logBrokenRun } from './error-log.ts'
import { withoutSitePath } from '../network/site-path.ts'
import type { Homes } from './homes.ts'
import { requestHeader, signInPath, type BootMessage } from './messages.ts'
import type { Php, PhpMethod } from './php-wasm.ts'
import { BusyError, type PhpPool } from './php-pool.ts'

const documentRoot = '/wordpress'
const methods = new Set(['GET', 'POST', 'HEAD', 'OPTIONS', 'PATCH', 'PUT', 'DELETE'])

/** Reports the start of a PHP run to the engine, with the number of the request; the returned function reports its end. */
export type RunReporter = (php: Php, request: number | null) => () => void

/** What the HTTP server needs to run PHP for a request. */
export interface PhpServerContext {
  readonly boot: BootMessage
  readonly homes: Homes
  readonly pool: PhpPool
  readonly reportRun: RunReporter
  /** Takes the input of `login.php` that was announced with this ticket. */
  readonly takeSignIn: (ticket: string) => string | undefined
  /** It serves the site's requests to itself. */
  readonly own: boolean
}

/** The HTTP server of a site's process. */
export function createPhpServer(context: PhpServerContext): Server {
  return createServer({ keepAliveTimeout: 0, requestTimeout: 0, maxHeaderSize: 64 * 1024 }, (request, response) => {
    respond(context, request, response).catch((error: unknown) => {
      const isExpected = error instanceof BusyError || error instanceof TooLargeError
      // A visitor who disconnects during an upload is not a failure of the site.
      if (!isExpected && request.complete) logBrokenRun(`${request.method} ${request.url} broke off`, error)
      failed(response, error)
    })
  })
}

function failed(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const status = error instanceof BusyError ? 503 : error instanceof TooLargeError ? 413 : 500
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    ...(status === 503 ? { 'retry-after': '5' } : {}),
  })
  response.end(
    status === 503
      ? 'This site is busy. Try again in a moment.\n'
      : status === 413
        ? 'The request is too large.\n'
        : 'This site could not answer.\n',
  )
}

async function respond(context: PhpServerContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { boot, pool, own } = context
  const path = decodePath(request.url ?? '/')
  if (path === null || !methods.has(request.method ?? '')) {
    response.writeHead(path === null ? 400 : 405).end()
    return
  }
  if (path === signInPath) return signIn(context, request, response)
  // Visitors' static files are served by the proxy; only the site's requests to itself get here.
  if (own && (await serveStatic('./www', boot, request, response))) return
  const body = await readBody(request)
  await pool.use(own, async (php) => {
    const target = resolveScript(php, path, {
      frontController: boot.siteType === 'wp',
      isNetwork: boot.isNetwork,
      isRefused: isRefusedIn(boot),
    })
    if (target.kind === 'redirect') {
      response.writeHead(301, { location: target.location + queryOf(request.url ?? '') }).end()
    } else if (target.kind === 'none') {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('Not found.\n')
    } else {
      await runScript(context, php, target, { request, response, body })
    }
  })
}

/** Signs a person in: the site sees a visit of its home page, whose answer is that of a sign-in. */
async function signIn(context: PhpServerContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const input = context.takeSignIn(queryOf(request.url ?? '').slice(1))
  if (input === undefined || context.own) {
    response.writeHead(404).end()
    return
  }
  request.url = '/'
  const target: Script = { kind: 'script', file: '/internal/easydash/login.php', pathInfo: '', input }
  await context.pool.use(false, (php) => runScript(context, php, target, { request, response, body: undefined }))
}

class TooLargeError extends Error {}

async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) throw new TooLargeError()
    chunks.push(chunk)
  }
  return size === 0 ? undefined : Buffer.concat(chunks)
}

interface Script {
  kind: 'script'
  file: string
  pathInfo: string
  /** Of one of our own scripts, which then answers the request in the place of the site's front controller. */
  input?: string
}
type Target = Script | { kind: 'redirect'; location: string } | { kind: 'none' }

/**
 * The paths that run no PHP: with the protection `no_uploads_php`, everything among the uploads that names a PHP file or could lead to
 * one. Case doesn't matter, because it doesn't on the file systems of some machines.
 */
function isRefusedIn({ siteType, protections }: BootMessage): (path: string) => boolean {
  if (siteType !== 'wp' || !protections.includes('no_uploads_php')) return () => false
  return (path) => /^\/wp-content\/uploads(?:\/|$)/i.test(path) && (/\.php(?:\/|$)/i.test(path) || path.endsWith('/'))
}

/** How `resolveScript` finds files. */
interface ScriptRules {
  /** Paths of no file are those of WordPress' pages. */
  readonly frontController: boolean
  /** It is a sub-directory network, whose sites have the same files. */
  readonly isNetwork: boolean
  readonly isRefused: (path: string) => boolean
}

/** Finds the PHP file for a path like a web server with WordPress' rewrite rules. */
function resolveScript(
  php: Pick<Php, 'isDir' | 'isFile'>,
  asked: string,
  { frontController, isNetwork, isRefused }: ScriptRules,
): Target {
  const isDir = (path: string): boolean => path.isWellFormed() && php.isDir(path)
  const isFile = (path: string): boolean => path.isWellFormed() && php.isFile(path)
  const isThere = isDir(documentRoot + asked) || isFile(documentRoot + asked)
  const path = (isNetwork && !isThere ? withoutSitePath(asked) : null) ?? asked
  if (isRefused(path)) return { kind: 'none' }
  const full = documentRoot + path
  if (isDir(full)) {
    if (!path.endsWith('/')) return { kind: 'redirect', location: `${encodeURI(asked)}/` }
    const index = posix.join(full, 'index.php')
    if (isFile(index)) return { kind: 'script', file: index, pathInfo: '' }
  } else if (path.endsWith('.php') && isFile(full)) {
    return { kind: 'script', file: full, pathInfo: '' }
  } else {
    const cut = /\.php(?=\/)/.exec(path)
    const script = cut === null ? null : path.slice(0, cut.index + 4)
    if (script !== null && isFile(documentRoot + script)) {
      return { kind: 'script', file: documentRoot + script, pathInfo: path.slice(script.length) }
    }
  }
  const front = `${documentRoot}/index.php`
  return frontController && isFile(front) ? { kind: 'script', file: front, pathInfo: '' } : { kind: 'none' }
}

function queryOf(url: string): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at)
}

/** A request whose body was read, and its response. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Undefined if the request has no body. */
  readonly body: Uint8Array | undefined
}

async function runScript(
  { homes, reportRun }: PhpServerContext,
  php: Php,
  target: Script,
  { request, response, body }: Exchange,
): Promise<void> {
  const url = request.url ?? '/'
  const script = target.input === undefined ? target.file.slice(documentRoot.length) : '/index.php'
  const home = homes.of(request.headers.host)
  const done = reportRun(php, numberOf(request))
  try {
    const run = await php.runStream({
      scriptPath: target.file,
      relativeUri: url,
      method: (request.method ?? 'GET') as PhpMethod,
      protocol: home.protocol.slice(0, -1),
      headers: headersForPhp(request),
      ...(body === undefined ? {} : { body }),
      $_SERVER: {
        DOCUMENT_ROOT: documentRoot,
        SCRIPT_NAME: script,
        SCRIPT_FILENAME: documentRoot + script,
        PHP_SELF: script + target.pathInfo.toWellFormed(),
        REQUEST_URI: url,
        QUERY_STRING: queryOf(url).slice(1),
        ...(target.pathInfo.isWellFormed()
          ? { PATH_INFO: target.pathInfo }
          : { EASYDASH_PATH_INFO: encodePath(target.pathInfo) }),
        REMOTE_ADDR: firstOf(request.headers['x-forwarded-for']) ?? '127.0.0.1',
        SERVER_NAME: home.hostname,
        SERVER_PORT: home.port || (home.protocol === 'https:' ? '443' : '80'),
        SERVER_SOFTWARE: 'Easydash',
        // Becomes WP_HOME and WP_SITEURL in `preload.php`.
        EASYDASH_HOME: home.origin,
        ...(target.input === undefined ? {} : { EASYDASH_INPUT: target.input }),
        HTTPS: home.protocol === 'https:' ? 'on' : '',
      },
    })
    const [status, headers] = await Promise.all([run.httpStatusCode, run.headers])
    begin(response, status, headers)
    const output = createBatchedWriter(response)
    for await (const chunk of run.stdout) {
      // A view of WASM memory, typed as Int8Array; the bytes are the same.
      output.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    }
    await run.exitCode
    output.flush()
    response.end()
  } finally {
    done()
  }
}

/** Combines what PHP writes within one tick, maybe line by line, into one chunk: the engine processes each chunk. */
function createBatchedWriter(response: ServerResponse): { write(piece: Buffer): void; flush(): void } {
  let pieces: Buffer[] = []
  const flush = (): void => {
    if (pieces.length > 0 && !response.destroyed && !response.writableEnded) response.write(Buffer.concat(pieces))
    pieces = []
  }
  return {
    write: (piece) => {
      if (pieces.length === 0) setImmediate(flush)
      pieces.push(piece)
    },
    flush,
  }
}

/** Sends status and headers as set by PHP. Never throws: the run continues and must be timed to its end. */
function begin(response: ServerResponse, status: number, headers: Record<string, string[]>): void {
  try {
    // An interim response (1xx) would leave the visitor waiting for the final one, and 101 takes over the connection.
    if (status < 200) throw new RangeError(`PHP set the status ${status}.`)
    const sent = responseHeaders(headers)
    // PHP may announce another length than it sends: excess bytes must not be parsed as the next response.
    if (Object.keys(sent).some((name) => name.toLowerCase() === 'content-length')) response.shouldKeepAlive = false
    response.writeHead(status, sent)
  } catch (error) {
    failed(response, error)
  }
}

/** The number that the engine gave a request; null: it is none of the engine's. */
function numberOf({ headers }: IncomingMessage): number | null {
  const number = Number(firstOf(headers[requestHeader]) ?? 'none')
  return Number.isSafeInteger(number) ? number : null
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.split(',')[0]?.trim()
}

// `Proxy` would become HTTP_PROXY, which HTTP libraries treat as a setting.
const hiddenHeaders = new Set(['proxy', 'connection', requestHeader])

function headersForPhp(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || hiddenHeaders.has(name)) continue
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return headers
}

function responseHeaders(headers: Record<string, string[]>): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = {}
  for (const [name, values] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (lower === 'x-powered-by' || lower === 'status' || lower === 'connection' || lower === 'transfer-encoding')
      continue
    result[name] = values.length === 1 ? (values[0] ?? '') : values
  }
  return result
}
