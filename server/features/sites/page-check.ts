import type { Engine, SiteRequestOptions, SiteResponse } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { AppError } from '#shared/errors.ts'
import { slowMs } from '#shared/rules/site-check.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { readHomepage } from './homepage.ts'

/** Timeout of one visit in milliseconds. */
const timeoutMs = 30_000

const namedEntities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  times: 'x',
}

/** The text of HTML with its entities decoded; tags stay. */
export function decodeEntities(html: string): string {
  return html.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi,
    (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
      if (name) return namedEntities[name.toLowerCase()] ?? whole
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}

/** Letters and digits only, because WordPress turns quotes, dashes and dots of a title into typographic ones. */
function lettersAndDigits(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll('×', 'x')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

/** Whether a page shows a title, regardless of escaping and typographic changes. */
export function containsTitle(html: string, title: string): boolean {
  const page = lettersAndDigits(decodeEntities(html))
  const wanted = [title, title.replaceAll(/<[^>]*>?/g, '')].map(lettersAndDigits)
  return wanted.some((text) => page.includes(text))
}

/** Whether a page was sent to its end, as far as HTML tells. */
export const isWhole = ({ status, body }: Pick<SiteResponse, 'status' | 'body'>): boolean =>
  status === 200 && /<\/html\s*>/i.test(body)

/**
 * Whether a page of HTML has no end: what fails after it began is sent with status 200, and stops there. One that does not begin as
 * WordPress pages do need not end as they do.
 */
const isBrokenOff = (response: SiteResponse): boolean =>
  response.status === 200 &&
  /html/i.test(response.headers['content-type'] ?? 'html') &&
  /<(?:html|body)[\s>]/i.test(response.body) &&
  !isWhole(response)

/** Result of our own request to a site. */
export interface PageCheckResult {
  health: 'Up' | 'Slow'
  response_ms: number
}

function retryable(message: LocalizedMessage, nextAction: LocalizedMessage): AppError {
  return new AppError('unavailable', message, { retryable: true, nextAction })
}

/** What to do about a page that fails. */
export const checkLogAction: LocalizedMessage = msg`Look at the log of the site, then retry.`

const brokenOff = () => retryable(msg`The page broke off before its end.`, checkLogAction)

/** Requests a new site like a visitor: expects status 200, and the title if it runs WordPress. Throws a retryable error. */
export async function checkNewPage(
  engine: Engine,
  site: SiteRef,
  title: string | null,
  signal: AbortSignal,
): Promise<PageCheckResult> {
  const response = await engine.request(site, '/', { signal, timeoutMs })
  if (response.status !== 200) throw retryable(msg`The page answered with status ${response.status}.`, checkLogAction)
  if (site.siteType === 'wp' && !isWhole(response)) throw brokenOff()
  if (site.siteType === 'wp' && title && !containsTitle(response.body, title))
    throw retryable(msg`The page does not show the title of the site.`, checkLogAction)
  return measure(engine, site, { signal })
}

/** How a page is loaded. `wasWhole`: without an end, which it had before, it broke off. */
type PageCheckOptions = Pick<SiteRequestOptions, 'signal'> & { readonly wasWhole?: boolean }

/** Requests an existing site: it may redirect or be private, but must not fail. Throws a retryable error. */
export async function checkExistingPage(
  engine: Engine,
  site: SiteRef,
  options: PageCheckOptions,
): Promise<PageCheckResult> {
  await requestPage(engine, site, options)
  return measure(engine, site, options)
}

/** Requests the homepage and follows redirects within the site; returns how long it all took, in milliseconds. */
async function requestPage(
  engine: Engine,
  site: SiteRef,
  { wasWhole = false, ...options }: PageCheckOptions,
): Promise<number> {
  const { problem, response, tookMs } = await readHomepage(engine, site, { ...options, timeoutMs })
  if (problem) throw retryable(problem, checkLogAction)
  if (wasWhole && isBrokenOff(response)) throw brokenOff()
  return tookMs
}

/** Measures a site that has just answered: the first answer also contains its start. */
async function measure(engine: Engine, site: SiteRef, options: PageCheckOptions): Promise<PageCheckResult> {
  const response_ms = Math.round(await requestPage(engine, site, options))
  return { health: healthOf(response_ms), response_ms }
}

/** Health of a site that answered in this time (milliseconds). */
export function healthOf(responseMs: number): PageCheckResult['health'] {
  return responseMs > slowMs ? 'Slow' : 'Up'
}

/**
 * Requests a site right after a change that is undone if the page fails. Two attempts without a pause, and no retry of the
 * step: until then, visitors get a broken site.
 */
export async function checkChangedPage(
  engine: Engine,
  site: SiteRef,
  signal: AbortSignal,
  wasWhole = false,
): Promise<PageCheckResult> {
  const check = () => checkExistingPage(engine, site, { signal, wasWhole })
  try {
    return await check().catch(check)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, localized, nextAction } = error
    throw new AppError(code, localized, { ...(nextAction ? { nextAction } : {}), cause: error })
  }
}
