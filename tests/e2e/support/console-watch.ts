/** Console errors and warnings of our own pages, which aren't visible on screen. */
import { test as base, type BrowserContext, type ConsoleMessage } from '@playwright/test'

/** Whether a URL belongs to a product. Sites have host names of their own, and their messages don't count. */
const isOurs = (url: string): boolean => URL.canParse(url) && new URL(url).hostname === 'localhost'

/** The address of a request that the server refused, of which the browser writes a message; null for other messages. */
function refusedRequest(message: ConsoleMessage): URL | null {
  const { url } = message.location()
  const isRefusal = /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text())
  return isRefusal && URL.canParse(url) ? new URL(url) : null
}

/** A denied call. The page handles it, and the stories test it. */
const isDeniedCall = (message: ConsoleMessage): boolean =>
  refusedRequest(message)?.pathname.startsWith('/api/') === true

/** A poll of a socket that the server closed meanwhile, e.g. with its session. No page can prevent this message. */
function isPollOfClosedSocket(message: ConsoleMessage): boolean {
  const address = refusedRequest(message)
  return address?.pathname === '/socket.io/' && address.searchParams.has('sid')
}

/** A WebSocket closed while it was still connecting, e.g. at the end of a session. No page can prevent this message. */
const isAbandonedSocket = (message: ConsoleMessage): boolean =>
  /^WebSocket connection to .* failed: WebSocket is closed before the connection is established\.$/.test(message.text())

/** Collects console errors and warnings, uncaught exceptions and CSP violations. */
function watch(context: BrowserContext, problems: string[]): void {
  context.on('console', (message) => {
    const url = message.page()?.url() ?? message.location().url
    const expected = [isDeniedCall, isPollOfClosedSocket, isAbandonedSocket]
    if (!isOurs(url) || expected.some((one) => one(message))) return
    const text = message.text()
    const isProblem =
      message.type() === 'error' || message.type() === 'warning' || /content security policy/i.test(text)
    const what = text.startsWith('Failed to load resource:') ? ` (${message.location().url})` : ''
    if (isProblem) problems.push(`${url}: ${text}${what}`)
  })
  context.on('weberror', (error) => {
    const url = error.page()?.url() ?? ''
    if (isOurs(url)) problems.push(`${url}: ${String(error.error())}`)
  })
}

/** Removes problems that a story caused on purpose. @throws Error if there are any others */
export function ignoreConsoleErrors(problems: string[], provoked: RegExp): void {
  const others = problems.splice(0).filter((problem) => !provoked.test(problem))
  if (others.length > 0) throw new Error(`The browser's console had errors or warnings:\n${others.join('\n')}`)
}

/**
 * Playwright's `test`, which watches every page of every browser context: console problems fail the story in which they
 * occur, unless it ignores them. Those in `beforeAll` fail the story after it.
 */
export const watchedTest = base.extend<{ problems: string[] }, { consoleProblems: string[] }>({
  consoleProblems: [
    async ({ browser }, use) => {
      const problems: string[] = []
      browser.on('context', (context) => watch(context, problems))
      await use(problems)
    },
    { scope: 'worker', auto: true },
  ],
  problems: [
    // Depends on the context, which therefore outlives the last check of its pages.
    async ({ context, consoleProblems }, use) => {
      await use(consoleProblems)
      // A request that a story changes may be under way at its end, which is no failure.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.unrouteAll({ behavior: 'ignoreErrors' })
      const found = consoleProblems.splice(0)
      if (found.length > 0) throw new Error(`The browser's console had errors or warnings:\n${found.join('\n')}`)
    },
    { auto: true },
  ],
})
