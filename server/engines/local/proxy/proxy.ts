import type { FileHandle } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { hasBody } from '#server/platform/network/has-body.ts'
import { createChunkBudget, limitChunks, type ChunkBudget } from '#server/platform/files/chunk-limit.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { ForeignFileError } from '#server/platform/trees/folder.ts'
import { openInPlace } from '#server/platform/trees/open-in-place.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { maintenancePage } from '../../engine-page.ts'
import type { AwakeSites } from '../processes/awake-sites.ts'
import { maxBodyBytes, maxWaitingVisitors } from '../limits.ts'
import { onResponseEnd } from '../logs/access-line.ts'
import type { LocalEngineLog } from '../options.ts'
import {
  archivedSite,
  connectionLost,
  busySite,
  failedSite,
  sendPage,
  stoppedSite,
  suspendedSite,
  tooLarge,
  unfinishedSite,
  unknownSite,
  unreadable,
} from '../sites/pages.ts'
import { domainOfHost, isBelow } from '../domains/host-names.ts'
import { headersForReading, isVisible, limitToReading } from './opened-backup.ts'
import { redirectTo } from './redirect.ts'
import { requestHeaders, responseHeaders } from './proxy-headers.ts'
import { sendBody } from './send-body.ts'
import { createSiteTimer, type SiteTimer } from './site-timer.ts'
import { admitVisitor, pausePage } from './site-gate.ts'
import { askHeader, refusalHeader } from '../settings/maintenance.ts'
import type { SiteProcess } from '../processes/site-process-handle.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { SiteStore } from '../sites/site-store.ts'
import { serveStatic } from '../sites/static-files.ts'

/** Path of login links. Hidden paths never belong to a site. */
export const loginPath = '/.easydash/login'

/** Options of the proxy. */
export interface ProxyOptions {
  store: SiteStore
  awake: AwakeSites
  log: LocalEngineLog
  /** User of a site's files; null if all sites belong to one user. */
  userOf(record: SiteRecord): number | null
  /** Lowercase parent domain of the sites. */
  sitesDomain: string
  /** Scheme of the public URLs. */
  protocol: 'http' | 'https'
  /** Public URL of a site, without a trailing slash. */
  urlOf(record: SiteRecord): string
  /** Milliseconds since 1970. */
  now(): number
  /** Called for each visitor request to a finished site. */
  visited(id: string): void
  /** Adds a line to the access log of a site. */
  recordAccess(id: string, line: string): void
  /** Handles a login link; see `login-links.ts`. */
  login(record: SiteRecord, request: IncomingMessage, response: ServerResponse): Promise<void>
}

/** Routes requests to sites by host name. */
export interface SiteProxy {
  ownsHost(host: string): boolean
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  /** Handles our own request, which may also access an unfinished site and needn't count as use of it. */
  handleOwnRequest(request: IncomingMessage, response: ServerResponse, countsAsUse: boolean): void
}

/**
 * Limit on the chunks of a site's responses: more than PHP sends, which combines the output of a tick (`child/php-http.ts`).
 */
const chunkLimits = { burst: 5000, perSecond: 5000, bytes: 512 } as const
/** Maximum interim responses (1xx) per request; PHP sends none. */
const maxInterim = 10

/** Where a request comes from. */
interface RequestSource {
  /** Sent by Easydash itself. */
  readonly own: boolean
  /** Keeps the site awake. */
  readonly countsAsUse: boolean
}

export function createSiteProxy(options: ProxyOptions): SiteProxy {
  const waiting = new Map<string, number>()
  const isSecure = options.protocol === 'https'

  /** Takes one of the site's visitor slots until the connection ends; false if all are taken. */
  const takeSlot = (id: string, response: ServerResponse): boolean => {
    const taken = waiting.get(id) ?? 0
    if (taken >= maxWaitingVisitors) return false
    waiting.set(id, taken + 1)
    response.once('close', () => {
      const left = (waiting.get(id) ?? 1) - 1
      if (left === 0) waiting.delete(id)
      else waiting.set(id, left)
    })
    return true
  }

  const siteOf = (host: string): SiteRecord | undefined =>
    options.store.byDomain(domainOfHost(host, options.sitesDomain))

  const route = async (request: IncomingMessage, response: ServerResponse, source: RequestSource): Promise<void> => {
    const { own, countsAsUse } = source
    const host = request.headers.host ?? ''
    const record = siteOf(host)
    if (record === undefined || !isVisible(record, own, options.now())) return sendPage(request, response, unknownSite)
    const timer = createSiteTimer()
    onResponseEnd(request, response, {
      own,
      now: options.now,
      siteMs: timer.ms,
      record: (line) => options.recordAccess(record.id, line),
    })
    if (record.state === 'archived' || record.state === 'archiving') return sendPage(request, response, archivedSite)
    if (record.state !== 'ready' && !own) return sendPage(request, response, unfinishedSite)
    if (record.suspended === true) return sendPage(request, response, suspendedSite)
    if (record.stopped === true) return sendPage(request, response, stoppedSite)
    const pause = own ? null : pausePage(record)
    if (pause !== null) return sendPage(request, response, pause)
    const alias = record.aliases?.find(({ domain }) => domain === domainOfHost(host, options.sitesDomain))
    if (alias?.mode === 'redirect') return redirectTo(options.urlOf(record), request, response)
    const isOpened = record.openUntil !== undefined
    if (!own && isOpened && !limitToReading(request, response)) return
    if (!own && !isOpened) options.visited(record.id)
    if (request.url?.startsWith(`${loginPath}?`) === true) return options.login(record, request, response)
    if (!own && !admitVisitor(record, request, response, { now: options.now(), isSecure })) return
    const { www } = options.store.paths(record.id)
    const openFile = (path: string) => openForVisitors(path, options.userOf(record))
    const served = { siteType: record.siteType, isNetwork: record.network !== undefined }
    if (await serveStatic(www, served, request, response, openFile)) return
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return sendPage(request, response, tooLarge)
    if (!own && !takeSlot(record.id, response)) return sendPage(request, response, busySite)
    const release = options.awake.hold(record.id, countsAsUse)
    response.once('close', release)
    const wake = (): Promise<SiteProcess> =>
      countsAsUse ? options.awake.wake(record.id) : options.awake.wakeWithoutUse(record.id)
    const isRunning = options.awake.running(record.id) !== null
    const process = await wake()
    if (isRunning) timer.start()
    forward(process, { ...options, timer, isOpened, wakeAgain: isRepeatable(request) ? wake : null }, request, response)
  }

  const handle = (request: IncomingMessage, response: ServerResponse, source: RequestSource): void => {
    route(request, response, source).catch((error: unknown) => sendFailure(options, request, response, error))
  }

  return {
    ownsHost: (host) =>
      isBelow(host, options.sitesDomain) || options.store.knows(domainOfHost(host, options.sitesDomain)),
    handleRequest: (request, response) => handle(request, response, { own: false, countsAsUse: true }),
    handleOwnRequest: (request, response, countsAsUse) => handle(request, response, { own: true, countsAsUse }),
  }
}

/** Sends an error page to the visitor, and logs unexpected errors. */
function sendFailure(
  { log }: Pick<ProxyOptions, 'log'>,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  if (!(error instanceof EngineError)) log.error('A request to a local site failed', { error })
  const reason = error instanceof EngineError ? error.localized : msg`It could not be started.`
  sendPage(request, response, failedSite(reason))
}

/** Files that the site itself could not read are not served to its visitors. */
async function openForVisitors(path: string, user: number | null): Promise<FileHandle | null> {
  try {
    return await openInPlace(path, user)
  } catch (error) {
    if (error instanceof ForeignFileError || ['EACCES', 'EPERM'].includes(systemErrorCode(error))) return null
    throw error
  }
}

interface ForwardOptions extends ProxyOptions {
  readonly timer: SiteTimer
  /** It is an opened backup. */
  readonly isOpened: boolean
  /** Restarts the site for a request that got no response because its process ended; null: not repeated. */
  wakeAgain: (() => Promise<SiteProcess>) | null
}

/** Safe to repeat because reading changes nothing. */
const isRepeatable = (request: IncomingMessage): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') && !hasBody(request)

function forward(
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
    } else if (forwardHead(upstreamResponse, response, host, options.isOpened)) upstreamResponse.pipe(response)
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
function forwardHead(from: IncomingMessage, response: ServerResponse, host: string, isOpened: boolean): boolean {
  const { statusCode = 0, headers } = from
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
