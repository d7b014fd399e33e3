/** Errors and warnings of our own pages that nobody sees on the screen. */
import type { BrowserContext } from '@playwright/test'

/**
 * Collects console errors and warnings, uncaught exceptions and violations of the content security policy on pages of `origin`. An
 * answer with an error status is written to the console by the browser itself; those are the stories' own business.
 */
export function watchConsole(context: BrowserContext, origin: string): string[] {
  const problems: string[] = []
  context.on('console', (message) => {
    const url = message.page()?.url() ?? message.location().url
    if (!url.startsWith(`${origin}/`)) return
    const text = message.text()
    const told = message.type() === 'error' || message.type() === 'warning' || /content security policy/i.test(text)
    if (told && !text.startsWith('Failed to load resource:')) problems.push(`${url}: ${text}`)
  })
  context.on('weberror', (error) => {
    const url = error.page()?.url() ?? ''
    if (url.startsWith(`${origin}/`)) problems.push(`${url}: ${String(error.error())}`)
  })
  return problems
}
