import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { createChunkBudget, limitChunks, type ChunkBudget } from '#server/platform/files/chunk-limit.ts'
import { hasBody } from '#server/platform/network/has-body.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { maintenancePage } from '../../engine-page.ts'
import type { LocalEngineLog } from '../options.ts'
import type { SiteProcess } from '../processes/site-process-handle.ts'
import { askHeader, refusalHeader } from '../settings/maintenance.ts'
import { connectionLost, failedSite, sendPage, tooLarge, unreadable } from '../sites/pages.ts'
import { headersForReading } from './opened-backup.ts'
import { requestHeaders, responseHeaders } from './proxy-headers.ts'
import { sendBody } from './send-body.ts'
import type { SiteTimer } from './site-timer.ts'

/**
 * Limit on the chunks of a site's responses: more than PHP sends, which combines the output of a tick (`child/php-http.ts`).
 */
const chunkLimits = { burst: 5000, perSecond: 5000, bytes: 512 } as const
/** Maximum interim responses (1xx) per request; PHP sends none. */
const maxInterim = 10

/** Sends an error page to the visitor, and logs unexpected errors. */
export function sendFailure(
  { log }: Pick<ForwardOptions, 'log'>,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  if (!(error instanceof EngineError)) log.error('A request to a local site failed', { error })
  const reason = error instanceof EngineError ? error.localized : msg`It could not be started.`
  sendPage(request, response, failedSite(reason))
}

/** How a request is passed on. */
export interface ForwardOptions {
  readonly log: LocalEngineLog
  /** Scheme of the public URLs. */
  readonly protocol: 'http' | 'https'
  readonly timer: SiteTimer
  /** It is an opened backup. */
  readonly isOpened: boolean
  /** Added to those of the site. */
  readonly cookies: readonly string[]
  /** Restarts the site for a request that got no response because its process ended; null: not repeated. */
  wakeAgain: (() => Promise<SiteProcess>) | null
}

/** Safe to repeat because reading changes nothing. */
export const isRepeatable = (request: IncomingMessage): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') && !hasBody(request)

/** Passes a request on to the site's process, and its answer to the visitor. */
export function forward(
  process: SiteProcess,
  options: ForwardOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const host = request.headers.host ?? ''
  const upstream = httpRequest({
    socketPath: process.socket,
    agent: process.agent,
    method: request.method,
    path: request.url,
    setHost: false,
    headers: requestHeaders(request, host, options.protocol),
  })
  let answered = false
  let interim = 0
  upstream.on('information', () => {
    interim += 1
    if (interim > maxInterim) endFlood(process)
  })
  upstream.once('response', (upstreamResponse) => {
    answered = true
    options.timer.follow(upstreamResponse, response)
    limitChunks(upstreamResponse, chunkBudgetOf(process), () => endFlood(process))
    // The process died during the response: the visitor's connection must break too, or the page would look complete.
    upstreamResponse.on('error', () => response.destroy())
    if (upstreamResponse.headers[refusalHeader] !== undefined && request.headers[askHeader] !== undefined) {
      upstreamResponse.resume()
      sendPage(request, response, maintenancePage)
    } else if (forwardHead(upstreamResponse, response, host, options)) upstreamResponse.pipe(response)
    else {
      upstreamResponse.destroy()
      sendPage(request, response, unreadable)
    }
  })
  // Without this the visitor would wait forever: Node closes such a connection silently.
  upstream.once('upgrade', (_answer, socket) => {
    answered = true
    socket.destroy()
    sendPage(request, response, unreadable)
  })
  upstream.on('error', () => {
    if (answered || response.destroyed) response.destroy()
    else if (!response.headersSent) void failWithReason(process, options, request, response)
  })
  response.once('close', () => upstream.destroy())
  sendBody(request, upstream, () => sendPage(request, response, tooLarge))
}

const budgets = new WeakMap<SiteProcess, ChunkBudget>()

/** Chunk budget shared by all responses of a process. */
function chunkBudgetOf(process: SiteProcess): ChunkBudget {
  const budget = budgets.get(process) ?? createChunkBudget(chunkLimits)
  budgets.set(process, budget)
  return budget
}

/** Only code that escaped from PHP responds like this, and reading it would delay everyone else. */
function endFlood(process: SiteProcess): void {
  process.kill(msg`The site’s process was ended: it sent Easydash an answer in too many pieces.`)
  // Data it already sent is not read either.
  process.agent.destroy()
}

/** Node accepts status lines and headers that it refuses to write: a site must not crash this process with them. */
function forwardHead(
  from: IncomingMessage,
  response: ServerResponse,
  host: string,
  { isOpened, cookies }: Pick<ForwardOptions, 'isOpened' | 'cookies'>,
): boolean {
  const { statusCode = 0 } = from
  const headers =
    cookies.length === 0
      ? from.headers
      : { ...from.headers, 'set-cookie': [...(from.headers['set-cookie'] ?? []), ...cookies] }
  if (statusCode < 200 || response.headersSent) return false
  try {
    response.writeHead(statusCode, responseHeaders(isOpened ? headersForReading(headers) : headers, host))
    return true
  } catch {
    return false
  }
}

/**
 * Waits briefly for the reason of a broken connection: a killed process reports one. One that went to sleep, or whose PHP is
 * restarted, reports none: requests that were waiting there are repeated in the next process.
 */
async function failWithReason(
  process: SiteProcess,
  options: ForwardOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reason = await Promise.race([process.exited, delay(250, undefined)])
  if (reason !== null || options.wakeAgain === null) {
    sendPage(request, response, reason == null ? connectionLost : failedSite(reason))
    return
  }
  try {
    options.timer.discard()
    const next = await options.wakeAgain()
    if (!response.destroyed) forward(next, { ...options, wakeAgain: null }, request, response)
  } catch (error) {
    sendFailure(options, request, response, error)
  }
}
