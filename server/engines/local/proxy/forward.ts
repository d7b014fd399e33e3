import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { createChunkBudget, limitChunks, type ChunkBudget } from '#server/platform/files/chunk-limit.ts'
import { hasBody } from '#server/platform/network/has-body.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { maintenancePage } from '../../engine-page.ts'
import { requestHeader } from '../child/messages.ts'
import type { LocalEngineLog } from '../options.ts'
import type { SiteProcess } from '../processes/site-process-handle.ts'
import { askHeader, refusalHeader } from '../settings/maintenance.ts'
import {
  connectionLost,
  failedSite,
  notPassedOn,
  interruptedPage,
  overdueNotice,
  overduePage,
  restartedSite,
  sendPage,
  tooLarge,
  unreadable,
} from '../sites/pages.ts'
import { headersForReading } from './opened-backup.ts'
import { requestHeaders, responseHeaders } from './proxy-headers.ts'
import { sendBody, type KeptBody } from './send-body.ts'
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
  sendPage(request, response, error instanceof EngineError ? failedSite(error.localized) : notPassedOn)
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
  /** Restarts the site for a request that got no response because its process ended; null: not repeated (again). */
  readonly wakeAgain: (() => Promise<SiteProcess>) | null
  /** The body that was sent to another process before. */
  readonly body?: KeptBody
}

/** Safe to repeat because reading changes nothing. */
const isRepeatable = (request: IncomingMessage): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') && !hasBody(request)

/** Passes a request on to the site's process, and its answer to the visitor. */
export function forward(
  process: SiteProcess,
  options: ForwardOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const host = request.headers.host ?? ''
  const number = nextNumber()
  const upstream = httpRequest({
    socketPath: process.socket,
    agent: process.agent,
    method: request.method,
    path: request.url,
    setHost: false,
    headers: { ...requestHeaders(request, host, options.protocol), [requestHeader]: String(number) },
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
    upstreamResponse.on('error', () => void breakOff(process, number, upstreamResponse, response))
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
    // An answer that had begun ends with its own error.
    if (answered) return
    if (response.destroyed) response.destroy()
    else if (!response.headersSent) void failWithReason(process, { ...options, body }, { number, request, response })
  })
  response.once('close', () => upstream.destroy())
  const body = sendBody(request, upstream, () => sendPage(request, response, tooLarge), options.body)
}

let lastNumber = 0

/** The number of a request, by which the site's process says what it does. */
const nextNumber = (): number => (lastNumber += 1)

/**
 * The process died during an answer: the visitor's connection must break, too, or the page would look complete. One that was ended
 * because it took too long says so where that can be read.
 */
async function breakOff(
  process: SiteProcess,
  number: number,
  from: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await exitReason(process)
  const overdue = process.overdue()
  const isText =
    /^text\/html\b/i.test(from.headers['content-type'] ?? '') && from.headers['content-length'] === undefined
  if (overdue?.request === number && isText && from.headers['content-encoding'] === undefined)
    response.write(overdueNotice(overdue.seconds))
  response.socket?.destroySoon()
}

/** Waits briefly for it: a killed process reports one. Undefined: it has not ended; null: it was stopped. */
const exitReason = (process: SiteProcess): Promise<LocalizedMessage | null | undefined> =>
  Promise.race([process.exited, delay(250, undefined)])

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

/** A request that got no answer. */
interface Unanswered {
  readonly number: number
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * A process that went to sleep, or whose PHP is restarted, gives no reason: requests that were waiting there are repeated in the next
 * one. So are those of others when a request took too long, unless PHP had begun with them and they may change something.
 */
async function failWithReason(
  process: SiteProcess,
  options: ForwardOptions & { readonly body: KeptBody },
  { number, request, response }: Unanswered,
): Promise<void> {
  const reason = await exitReason(process)
  const overdue = process.overdue()
  if (overdue !== null && overdue.request === number) return sendPage(request, response, overduePage(overdue.seconds))
  const isSafe = isRepeatable(request) || (!process.hasBegun(number) && options.body.content() !== null)
  if ((reason !== null && overdue === null) || options.wakeAgain === null || !isSafe) {
    const page = overdue !== null ? interruptedPage : reason == null ? connectionLost : restartedSite(reason)
    return sendPage(request, response, page)
  }
  try {
    options.timer.discard()
    const next = await options.wakeAgain()
    if (!response.destroyed) forward(next, { ...options, wakeAgain: null }, request, response)
  } catch (error) {
    sendFailure(options, request, response, error)
  }
}
