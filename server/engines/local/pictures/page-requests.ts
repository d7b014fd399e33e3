import type { Devtools } from '#server/platform/browser/devtools.ts'

/** The only place a pictured page gets anything from. */
export interface PageSource {
  /** Scheme, host and port of the site; everything else does not exist. */
  readonly origin: string
  /** Asks the site as a visitor without cookies does. `path` begins with `/`. */
  read(path: string, accept: string): Promise<SourceAnswer>
}

/** What the site answered. */
export interface SourceAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The requests of one page, answered by us. */
export interface PageRequests {
  /** Says which frame is the page itself. */
  mainFrame(id: string): void
  /** Status of the page itself, after its redirects; null while there is none. */
  status(): number | null
  stop(): void
}

/** More than a page needs; a hostile one asks without end. */
const maxRequests = 200
const maxBytes = 24 * 1024 * 1024
/** Asked of the site at the same time, as a browser does; each answer is held as a whole until it is handed over. */
const atOnce = 6

/** What of an answer matters for the looks. Cookies, reports and hints to connect elsewhere stay outside. */
const keptHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-security-policy',
  'location',
  'x-content-type-options',
])

/** Stands between a page and the world: gives it what its own site answers, refuses everything else. */
export function answerRequests(devtools: Devtools, source: PageSource, page: string): PageRequests {
  const documents = new Map<string, number>()
  let main = ''
  let requests = 0
  let bytes = 0
  let stopped = false
  let free = atOnce
  const waiting: (() => void)[] = []

  /** Does work when its turn comes. */
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

  const answer = async (params: Record<string, unknown>): Promise<SourceAnswer | null> => {
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
    // A site that does not answer is like one that is not there.
    const found = await answer(params).catch(() => null)
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
          .filter(([name]) => keptHeaders.has(name))
          .map(([name, value]) => ({ name, value })),
        body: found.body.toString('base64'),
      },
      session,
    )
  }

  devtools.on('Fetch.requestPaused', (params, session) => {
    if (session !== page) return
    handle(params, session)
      // What the browser does not take (a header it finds wrong) is refused, or the page would wait for it.
      .catch(() =>
        devtools.send('Fetch.failRequest', { requestId: String(params['requestId']), errorReason: 'Failed' }, session),
      )
      // The page went on without the answer, or the browser is gone, which its driver hears.
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
