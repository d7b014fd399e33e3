import type { FileHandle } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { hasBody } from '#server/platform/network/has-body.ts'
import { createPieceBudget, limitPieces, type PieceBudget } from '#server/platform/files/pieces.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { ForeignFileError } from '#server/platform/trees/folder.ts'
import { openInPlace } from '#server/platform/trees/open-in-place.ts'
import { say } from '#shared/sentence.ts'
import { EngineError } from '../../engine.ts'
import type { AwakeSites } from '../processes/awake-sites.ts'
import { maxBodyBytes, maxWaitingVisitors } from '../limits.ts'
import type { LocalEngineLog } from '../options.ts'
import {
  archivedSite,
  brokenOff,
  busySite,
  failedSite,
  sendPage,
  suspendedSite,
  tooLarge,
  unfinishedSite,
  unknownSite,
  unreadable,
} from '../sites/pages.ts'
import { requestHeaders, responseHeaders } from './proxy-headers.ts'
import type { SiteProcess } from '../processes/site-process-handle.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { SiteStore } from '../sites/site-store.ts'
import { serveStatic } from '../sites/static-files.ts'

/** Path of login links. Hidden paths are never a site's own. */
export const loginPath = '/.easydash/login'

/** What the proxy needs from the engine. */
export interface ProxyOptions {
  store: SiteStore
  awake: AwakeSites
  log: LocalEngineLog
  /** User of a site's files; null where all sites are one user's. */
  userOf(record: SiteRecord): number | null
  /** Lower-case domain below which sites answer. */
  sitesDomain: string
  /** Scheme of the public addresses. */
  protocol: 'http' | 'https'
  /** Told of each request of a visitor to a finished site. */
  visited(id: string): void
  /** Answers a login link; see `login-links.ts`. */
  login(record: SiteRecord, request: IncomingMessage, response: ServerResponse): Promise<void>
}

/** Routes requests by host name to sites. */
export interface SiteProxy {
  ownsHost(host: string): boolean
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  /** Our own request, which may also see a site that is not finished. */
  handleOwnRequest(request: IncomingMessage, response: ServerResponse): void
}

/** Pieces of a site's answers: more than PHP makes, which writes the output of a moment at once (`child/php-http.ts`). */
const pieces = { burst: 5000, perSecond: 5000, bytes: 512 } as const
/** Interim answers (1xx) to one request; PHP makes none. */
const maxInterim = 10

export function createSiteProxy(options: ProxyOptions): SiteProxy {
  const suffix = `.${options.sitesDomain}`
  const waiting = new Map<string, number>()

  /** Takes one of the site's places for visitors until the connection ends; false when all are taken. */
  const takePlace = (id: string, response: ServerResponse): boolean => {
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

  const labelOf = (host: string): string | null => {
    const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
    return name.endsWith(suffix) && name.length > suffix.length ? name.slice(0, -suffix.length) : null
  }

  const route = async (request: IncomingMessage, response: ServerResponse, own: boolean): Promise<void> => {
    const record = options.store.byDomain(labelOf(request.headers.host ?? '') ?? '')
    if (record === undefined) return sendPage(request, response, unknownSite)
    if (record.state === 'archived' || record.state === 'archiving') return sendPage(request, response, archivedSite)
    if (record.state !== 'ready' && !own) return sendPage(request, response, unfinishedSite)
    if (record.suspended === true) return sendPage(request, response, suspendedSite)
    if (!own) options.visited(record.id)
    if (request.url?.startsWith(`${loginPath}?`) === true) return options.login(record, request, response)
    const { www } = options.store.paths(record.id)
    const openFile = (path: string) => openForVisitors(path, options.userOf(record))
    if (await serveStatic(www, record.siteType, request, response, openFile)) return
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return sendPage(request, response, tooLarge)
    if (!own && !takePlace(record.id, response)) return sendPage(request, response, busySite)
    const release = options.awake.hold(record.id)
    response.once('close', release)
    const wake = (): Promise<SiteProcess> => options.awake.wake(record.id)
    forward(await wake(), { ...options, wakeAgain: isRepeatable(request) ? wake : null }, request, response)
  }

  const handle = (request: IncomingMessage, response: ServerResponse, own: boolean): void => {
    route(request, response, own).catch((error: unknown) => sendFailure(options, request, response, error))
  }

  return {
    ownsHost: (host) => labelOf(host) !== null,
    handleRequest: (request, response) => handle(request, response, false),
    handleOwnRequest: (request, response) => handle(request, response, true),
  }
}

/** Tells a visitor that the site cannot answer, and the log what it does not know the reason of. */
function sendFailure(
  { log }: Pick<ProxyOptions, 'log'>,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  if (!(error instanceof EngineError)) log.error('A request to a local site failed', { error })
  const reason = error instanceof EngineError ? error.sentence : say`It could not be started.`
  sendPage(request, response, failedSite(reason))
}

/** What the site could not read itself is nothing for its visitors. */
async function openForVisitors(path: string, user: number | null): Promise<FileHandle | null> {
  try {
    return await openInPlace(path, user)
  } catch (error) {
    if (error instanceof ForeignFileError || ['EACCES', 'EPERM'].includes(systemErrorCode(error))) return null
    throw error
  }
}

interface ForwardOptions extends ProxyOptions {
  /** Starts the site once more for a request that its end kept from an answer; null: it is not repeated. */
  wakeAgain: (() => Promise<SiteProcess>) | null
}

/** Reading changes nothing, so it may be asked for twice. */
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
  upstream.once('response', (answer) => {
    answered = true
    limitPieces(answer, piecesOf(process), () => endFlood(process))
    // The process died in the middle: the visitor's connection must break too, or the page would look complete.
    answer.on('error', () => response.destroy())
    if (passHead(answer, response, host)) answer.pipe(response)
    else {
      answer.destroy()
      sendPage(request, response, unreadable)
    }
  })
  // Without this the visitor would wait for ever: Node closes such a connection and says nothing.
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

const budgets = new WeakMap<SiteProcess, PieceBudget>()

/** What all answers of a process together may be cut into. */
function piecesOf(process: SiteProcess): PieceBudget {
  const budget = budgets.get(process) ?? createPieceBudget(pieces)
  budgets.set(process, budget)
  return budget
}

/** Only code that left PHP answers like that, and reading it would keep everybody else waiting. */
function endFlood(process: SiteProcess): void {
  process.kill(say`The site’s process was ended: it sent Easydash an answer in too many pieces.`)
  // What it sent already is not read either.
  process.agent.destroy()
}

/** Node reads status lines and headers that it refuses to write: a site must not end this process with one of them. */
function passHead(answer: IncomingMessage, response: ServerResponse, host: string): boolean {
  const { statusCode = 0 } = answer
  if (statusCode < 200 || response.headersSent) return false
  try {
    response.writeHead(statusCode, responseHeaders(answer.headers, host))
    return true
  } catch {
    return false
  }
}

/**
 * Waits a moment for the reason of a broken connection: a killed process says why. One that went to sleep, or whose PHP is
 * made anew, says nothing: who waited for his turn there gets it in the next one.
 */
async function failWithReason(
  process: SiteProcess,
  options: ForwardOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reason = await Promise.race([process.exited, delay(250, undefined)])
  if (reason !== null || options.wakeAgain === null) {
    sendPage(request, response, reason == null ? brokenOff : failedSite(reason))
    return
  }
  try {
    const next = await options.wakeAgain()
    if (!response.destroyed) forward(next, { ...options, wakeAgain: null }, request, response)
  } catch (error) {
    sendFailure(options, request, response, error)
  }
}

function sendBody(request: IncomingMessage, upstream: ReturnType<typeof httpRequest>, refuse: () => void): void {
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBodyBytes) {
      request.removeAllListeners('data')
      request.resume()
      refuse()
      upstream.destroy()
    } else if (!upstream.write(chunk)) {
      request.pause()
      upstream.once('drain', () => request.resume())
    }
  })
  // All of it was read before where the request is repeated.
  if (request.readableEnded) upstream.end()
  else request.once('end', () => upstream.end())
}
