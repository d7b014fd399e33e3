/** What showed that a backup is good or bad, whatever machine made a site of it. */
import type { BackupDefect } from '#shared/rules/backups.ts'
import type { SeenPage } from './seen-pages.ts'
import type { ManifestSummary, SiteManifest } from './site-manifest.ts'

/** Defects of one kind that are named; the others are counted. */
const maxNamed = 20
const maxRedirects = 3

/** What was found out so far. */
export interface Found {
  readonly defects: BackupDefect[]
  readonly seen: { readonly what: string; readonly expected: number; readonly found: number }[]
  /** Why there is something that could not be compared. */
  readonly unjudged: string[]
}

/** The site could not be judged: there it takes longer than requests may take. */
export class TooSlow extends Error {
  override readonly message = 'The machine took too long to show the site, so not everything could be compared.'
}

/** Adds defects of one kind: the first ones by their evidence, and the number of the others. */
export function addAll({ defects }: Found, defect: string, evidence: readonly string[], total = evidence.length): void {
  for (const one of evidence.slice(0, maxNamed)) defects.push({ defect, evidence: one.slice(0, 300) })
  const more = total - Math.min(evidence.length, maxNamed)
  if (more > 0) defects.push({ defect, evidence: `${more} more` })
}

/** Tables with their rows, as the backup names them and as they are. */
export interface ComparedRows {
  readonly expected: readonly (readonly [table: string, rows: number])[]
  /** Null: the table is not there. */
  rowsOf(table: string): number | null
}

/** Compares the rows of tables. */
export function compareRows(found: Found, { expected, rowsOf }: ComparedRows): void {
  const pairs = expected.map(([name, rows]) => ({ name, rows, now: rowsOf(name) }))
  const present = pairs.flatMap(({ now, ...pair }) => (now === null ? [] : [{ ...pair, now }]))
  const sum = (list: readonly number[]) => list.reduce((total, one) => total + one, 0)
  found.seen.push(
    { what: 'tables', expected: pairs.length, found: present.length },
    { what: 'rows', expected: sum(pairs.map(({ rows }) => rows)), found: sum(present.map(({ now }) => now)) },
  )
  addAll(
    found,
    'A table of the database is missing',
    pairs.filter(({ now }) => now === null).map(({ name }) => name),
  )
  addAll(
    found,
    'A table has another number of rows than when it was backed up',
    present.filter(({ rows, now }) => now !== rows).map(({ name, rows, now }) => `${name}: ${now} instead of ${rows}`),
  )
}

const nounOf: Readonly<Record<keyof SiteManifest['counts'], string>> = {
  posts: 'posts',
  pages: 'pages',
  comments: 'comments',
  uploads: 'media files',
  plugins: 'plugins',
  themes: 'themes',
  users: 'users',
}

/** Whether the content was counted when the site was backed up; what could not be counted then is noted. */
export function wasCounted({ counts }: ManifestSummary, found: Found): boolean {
  if (Object.values(counts).some((count) => count > 0)) return true
  found.unjudged.push('The content of the site could not be counted when it was backed up.')
  return false
}

/** Compares what WordPress counts. */
export function compareCounts(found: Found, expected: SiteManifest['counts'], counts: SiteManifest['counts']): void {
  for (const what of Object.keys(nounOf) as (keyof SiteManifest['counts'])[]) {
    found.seen.push({ what, expected: expected[what], found: counts[what] })
    if (counts[what] !== expected[what])
      found.defects.push({
        defect: `WordPress has another number of ${nounOf[what]} than when it was backed up`,
        evidence: `${counts[what]} instead of ${expected[what]}`,
      })
  }
}

/** Compares pages, as they were requested in the order of the manifest. @param titleOf of a page, as the site of the backup has it */
export function comparePages(
  found: Found,
  { pages, type }: Pick<SiteManifest, 'pages' | 'type'>,
  now: readonly SeenPage[],
  titleOf: (title: string) => string = (title) => title,
): void {
  let good = 0
  for (const [at, { path, status, title, whole = true }] of pages.entries()) {
    const page = now[at]
    if (page === undefined) continue
    const add = (defect: string, evidence: string): void => void found.defects.push({ defect, evidence })
    if (page.isLate) found.unjudged.push(new TooSlow().message)
    else if (page.status !== status)
      add(
        'A page answers with another status than when it was backed up',
        `${path}: ${page.status === 0 ? 'no answer' : page.status} instead of ${status}`,
      )
    else if (titleOf(page.title) !== title)
      add('A page has another title than when it was backed up', `${path}: “${page.title}” instead of “${title}”`)
    else if (type === 'wp' && status === 200 && title !== '' && whole && !page.isWhole)
      add('A page breaks off before its end', path)
    else good += 1
  }
  found.seen.push({ what: 'visited', expected: pages.length, found: good })
}

/** Secret keys of a WordPress (`AUTH_KEY` and others). */
const secretKeys = 8

/** Compares the prefix of the tables and the address of WordPress, and whether it got secret keys of its own. `url`: where it is now. */
export function compareConfiguration(
  found: Found,
  { table_prefix: prefix, url: before }: Pick<ManifestSummary, 'table_prefix' | 'url'>,
  now: { readonly prefix: unknown; readonly home: unknown; readonly keys: unknown; readonly url: string },
): void {
  const compare = (what: string, isSame: boolean, defect: string, evidence: string): void => {
    found.seen.push({ what, expected: 1, found: isSame ? 1 : 0 })
    if (!isSame) addAll(found, defect, [evidence])
  }
  if (prefix !== null)
    compare(
      'prefix',
      now.prefix === prefix,
      'The tables have another prefix than when they were backed up',
      `${String(now.prefix)} instead of ${prefix}`,
    )
  const [home, own, original] = [String(now.home), now.url, before].map((url) => URL.parse(url)?.host)
  // A site can have been served at another address than its own.
  if (home === own || home === original)
    compare('address', home === own, 'WordPress did not get the address of the new site', String(home))
  found.seen.push({ what: 'keys', expected: secretKeys, found: Number(now.keys) })
  if (now.keys !== secretKeys)
    addAll(found, 'WordPress has no secret keys of its own', [`${String(now.keys)} of ${secretKeys}`])
}

/** Whether an administrator who is signed in gets to the dashboard of a site at `url`. */
export async function compareDashboard(
  found: Found,
  url: string,
  get: (path: string) => Promise<{ readonly status: number; readonly location: string }>,
): Promise<void> {
  let path = '/wp-admin/'
  let page = await get(path)
  for (let step = 0; step < maxRedirects && page.status >= 300 && page.status < 400; step += 1) {
    const target = URL.parse(page.location, `${url}${path}`)
    if (target?.host !== new URL(url).host) break
    path = `${target.pathname}${target.search}`
    page = await get(path)
  }
  const isIn = page.status === 200 && path.startsWith('/wp-admin/')
  found.seen.push({ what: 'login', expected: 1, found: isIn ? 1 : 0 })
  if (!isIn)
    found.defects.push({
      defect: 'An administrator can’t log in',
      evidence: `${path.replace(/\?.*/s, '').slice(0, 200)} answered with status ${page.status}`,
    })
}

/** Says that there was no page to compare. */
export function notePages({ pages }: ManifestSummary, { unjudged }: Found): void {
  if (pages.length === 0)
    unjudged.push('No page of the site answered when it was backed up, so there is nothing to compare its pages with.')
}
