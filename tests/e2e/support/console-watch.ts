/** Errors and warnings of our own pages that nobody sees on the screen. */
import { test as base, type BrowserContext, type ConsoleMessage } from '@playwright/test'

/** Addresses of products; a site has a host name of its own and its own business. */
const isOurs = (url: string): boolean => URL.canParse(url) && new URL(url).hostname === 'localhost'

/** What the browser writes about every call that was refused: the page's own business, and what the stories are about. */
function isRefusedCall(message: ConsoleMessage): boolean {
  const { url } = message.location()
  const refused = /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text())
  return refused && URL.canParse(url) && new URL(url).pathname.startsWith('/api/')
}

/** A live connection that was given up while it still opened, as when the session ends: no page can prevent that line. */
const isAbandonedSocket = (message: ConsoleMessage): boolean =>
  /^WebSocket connection to .* failed: WebSocket is closed before the connection is established\.$/.test(message.text())

/** Collects console errors and warnings, uncaught exceptions and violations of the content security policy. */
function watch(context: BrowserContext, problems: string[]): void {
  context.on('console', (message) => {
    const url = message.page()?.url() ?? message.location().url
    if (!isOurs(url) || isRefusedCall(message) || isAbandonedSocket(message)) return
    const text = message.text()
    const told = message.type() === 'error' || message.type() === 'warning' || /content security policy/i.test(text)
    const what = text.startsWith('Failed to load resource:') ? ` (${message.location().url})` : ''
    if (told) problems.push(`${url}: ${text}${what}`)
  })
  context.on('weberror', (error) => {
    const url = error.page()?.url() ?? ''
    if (isOurs(url)) problems.push(`${url}: ${String(error.error())}`)
  })
}

/** Takes away what a story provoked on purpose. @throws Error when there is anything else */
export function forgive(problems: string[], provoked: RegExp): void {
  const others = problems.splice(0).filter((problem) => !provoked.test(problem))
  if (others.length > 0) throw new Error(`The browser's console had errors or warnings:\n${others.join('\n')}`)
}

/**
 * Playwright's `test` that watches every page of every browser context, whoever opens it: what the console says fails the
 * story it is said in, unless that forgives it. What is said in `beforeAll` fails the story after it.
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
    // With the context, which thereby outlives the last look at what its pages said.
    async ({ context: _, consoleProblems }, use) => {
      await use(consoleProblems)
      const told = consoleProblems.splice(0)
      if (told.length > 0) throw new Error(`The browser's console had errors or warnings:\n${told.join('\n')}`)
    },
    { auto: true },
  ],
})
