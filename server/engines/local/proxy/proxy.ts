import type { FileHandle } from 'node:fs/promises'
import { type IncomingMessage, type ServerResponse } from 'node:http'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { ForeignFileError } from '#server/platform/trees/folder.ts'
import { openInPlace } from '#server/platform/trees/open-in-place.ts'
import type { AwakeSites } from '../processes/awake-sites.ts'
import { maxBodyBytes, maxWaitingVisitors } from '../limits.ts'
import { onResponseEnd } from '../logs/access-line.ts'
import type { LocalEngineLog } from '../options.ts'
import {
  archivedSite,
  busySite,
  sendPage,
  stoppedSite,
  suspendedSite,
  tooLarge,
  unfinishedSite,
  unknownSite,
} from '../sites/pages.ts'
import { domainOfHost, isBelow } from '../domains/host-names.ts'
import { isVisible, limitToReading } from './opened-backup.ts'
import { forward, sendFailure } from './forward.ts'
import { redirectTo } from './redirect.ts'
import { createSiteTimer } from './site-timer.ts'
import { admitVisitor, pausePage } from './site-gate.ts'
import type { SiteProcess } from '../processes/site-process-handle.ts'
import { loginPath, type SignInRequest } from '../sites/login-links.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { SiteStore } from '../sites/site-store.ts'
import { serveStatic } from '../sites/static-files.ts'

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
  /** Handles a login link; see `LoginLinks.redeem`. */
  login(record: SiteRecord, request: IncomingMessage, response: ServerResponse): Promise<SignInRequest | null>
}

/** Routes requests to sites by host name. */
export interface SiteProxy {
  ownsHost(host: string): boolean
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  /** Handles our own request, which may also access an unfinished site and needn't count as use of it. */
  handleOwnRequest(request: IncomingMessage, response: ServerResponse, countsAsUse: boolean): void
}

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
    if (request.url?.startsWith(`${loginPath}?`) === true) {
      const signIn = await options.login(record, request, response)
      if (signIn === null) return
      request.url = signIn.path
      const { process, cookies } = signIn
      return forward(process, { ...options, timer, isOpened, cookies, wakeAgain: null }, request, response)
    }
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
    forward(process, { ...options, timer, isOpened, cookies: [], wakeAgain: wake }, request, response)
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

/** Files that the site itself could not read are not served to its visitors. */
async function openForVisitors(path: string, user: number | null): Promise<FileHandle | null> {
  try {
    return await openInPlace(path, user)
  } catch (error) {
    if (error instanceof ForeignFileError || ['EACCES', 'EPERM'].includes(systemErrorCode(error))) return null
    throw error
  }
}
