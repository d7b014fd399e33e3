import type { Devtools } from '#server/platform/browser/devtools.ts'
import type { PageSource, SourceResponse } from '../../screenshots.ts'

/** Intercepted requests of one page. */
export interface PageRequests {
  /** Sets the id of the main frame. */
  mainFrame(id: string): void
  /** Status of the page itself, after redirects; null if there is none yet. */
  status(): number | null
  stop(): void
}

/** More than a normal page needs; a hostile one sends requests endlessly. */
const maxRequests = 200
const maxBytes = 24 * 1024 * 1024
/** Maximum concurrent requests to the site, as in a browser; each response is buffered completely. */
const maxConcurrent = 6

/** Response headers that affect rendering. Cookies, reports and hints to connect elsewhere are removed. */
const forwardedHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-security-policy',
  'location',
  'x-content-type-options',
])

/** Intercepts all requests of a page: serves responses of its own site and blocks everything else. */
export function interceptRequests(devtools: Devtools, source: PageSource, page: string): PageRequests {
  const documents = new Map<string, number>()
  let main = ''
  let requests = 0
  let bytes = 0
  let stopped = false
  let free = maxConcurrent
  const waiting: (() => void)[] = []

  /** Limits concurrency: runs work when a slot is free. */
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }

  const pathOf = (url: string): string | null => {
    if (!URL.canParse(url)) return null
    const { origin, pathname, search, username, password } = new URL(url)
    return origin === source.origin && username === '' && password === '' ? `${pathname}${search}` : null
  }

  const response = async (params: Record<string, unknown>): Promise<SourceResponse | null> => {
    const { method, url, headers } = params['request'] as { method: string; url: string; headers?: object }
    const path = pathOf(url)
    requests += 1
    if (path === null || method !== 'GET' || requests > maxRequests) return null
    const accept = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'accept')?.[1]
    return inTurn(async () => {
      if (stopped || bytes > maxBytes) return null
      const found = await source.read(path, typeof accept === 'string' ? accept : '*/*')
      bytes += found.body.length
      return bytes > maxBytes ? null : found
    })
  }

  const handle = async (params: Record<string, unknown>, session: string | undefined): Promise<void> => {
    const requestId = String(params['requestId'])
    // A site that does not respond is treated like one that doesn't exist.
    const found = await response(params).catch(() => null)
    if (stopped) return
    if (found === null) {
      await devtools.send('Fetch.failRequest', { requestId, errorReason: 'AccessDenied' }, session)
      return
    }
    if (params['resourceType'] === 'Document') documents.set(String(params['frameId']), found.status)
    await devtools.send(
      'Fetch.fulfillRequest',
      {
        requestId,
        responseCode: found.status,
        responseHeaders: Object.entries(found.headers)
          .filter(([name]) => forwardedHeaders.has(name))
          .map(([name, value]) => ({ name, value })),
        body: found.body.toString('base64'),
      },
      session,
    )
  }

  devtools.on('Fetch.requestPaused', (params, session) => {
    if (session !== page) return
    handle(params, session)
      // If the browser rejects the response (e.g. an invalid header), the request is failed; otherwise the page would wait
      // for it.
      .catch(() =>
        devtools.send('Fetch.failRequest', { requestId: String(params['requestId']), errorReason: 'Failed' }, session),
      )
      // The page continued without the response, or the browser is gone, which its driver detects.
      .catch(() => undefined)
  })
  return {
    mainFrame: (id) => {
      main = id
    },
    status: () => documents.get(main) ?? null,
    stop: () => {
      stopped = true
    },
  }
}
