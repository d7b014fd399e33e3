import { encodedPath, isPath, plainTitle, seenPage, type SeenPage } from '#server/engines/seen-pages.ts'
import type { ImportedSite } from '#server/engines/site-imports.ts'
import { AppError } from '#shared/errors.ts'
import type { ImportReport } from '#shared/responses/site-imports.ts'

/** Requests a page of a public address by HTTPS. Redirects are returned. Throws AppError if there is no answer. */
export type VisitPublic = (
  url: string,
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly body: string }>

/**
 * The report of an import, with the pages of the new site compared with those that the site still shows at its old address: their
 * titles, and whether they come to their end. A page that is not there (any more) says nothing about the new one. If the homepage can't be
 * reached, nothing is compared: the count then expects 0 pages.
 */
export async function withOriginal(
  { report, pages }: ImportedSite,
  visit: VisitPublic,
  { log, signal }: { readonly log: (line: string) => void; readonly signal: AbortSignal },
): Promise<ImportReport> {
  const base = addressOf(report.from)
  if (base === null) return report
  const differing: string[] = []
  let expected = 0
  // Which ones, the new site says itself.
  for (const page of pages.filter(({ path }) => isPath(path))) {
    const original = await originalOf(base, page.path, visit, { log, signal })
    if (original === null) {
      if (page.path === '/') break
      continue
    }
    expected += 1
    if (!isSame(page, original)) differing.push(page.path)
  }
  return {
    ...report,
    counts: [...report.counts, { what: 'original', expected, found: expected - differing.length }],
    // What the original shows stays out of it: it was fetched by this machine.
    defects: [
      ...report.defects,
      ...differing.map((path) => ({ kind: 'original' as const, what: path.slice(0, 300), detail: '' })),
    ],
  }
}

/** The old address by HTTPS, without a slash at its end; null if it is none. */
function addressOf(from: string | null): string | null {
  if (from === null || !URL.canParse(from)) return null
  const { host, pathname } = new URL(from)
  return host === '' ? null : `https://${host}${pathname.replace(/\/+$/, '')}`
}

/** A page of the original; null if it does not show it. */
async function originalOf(
  base: string,
  path: string,
  visit: VisitPublic,
  { log, signal }: { readonly log: (line: string) => void; readonly signal: AbortSignal },
): Promise<SeenPage | null> {
  try {
    const answer = await visit(`${base}${encodedPath(path)}`, signal)
    if (answer.status === 200) return seenPage(path, answer)
    log(`The original answers ${path} with ${answer.status}`)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof AppError)) throw error
    log(`The original did not show ${path}: ${error.message}`)
  }
  return null
}

const isSame = (page: SeenPage, original: SeenPage): boolean =>
  page.status < 300 && plainTitle(page.title) === plainTitle(original.title) && (page.isWhole || !original.isWhole)
