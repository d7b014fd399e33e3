import type { ImportDefect, ImportReport } from '#shared/responses/site-imports.ts'
import { countOf, rowsOf, textsOf, tuplesOf } from '../../script-results.ts'
import { encodedPath, pagesToSee, plainTitle, seenPage, type SeenPage } from '../../seen-pages.ts'
import type { ImportedSite, ImportSpec } from '../../site-imports.ts'
import { thisMachine } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import { requestSite } from '../site-operations.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import { runScript } from '../wordpress/run-script.ts'
import { defect, named, readNotes, type ImportNotes } from './import-notes.ts'
import { inspectKept } from './import-steps.ts'
import { findLinks } from './seen-site.ts'

/** More defects than these are not told apart. */
const maxCounted = 1_000_000
/** Time in which doubtful links are requested, in milliseconds. */
const requestMs = 30_000
/** Tables that sessions, caches and the change of users are in: their rows differ for good reasons. */
export const isChanging = (table: string): boolean =>
  table.includes('actionscheduler_') || ['options', 'usermeta', 'users', 'sessions'].some((end) => table.endsWith(end))

type Counts = ImportReport['counts'][number][]
/** What was found out so far. */
interface Found {
  readonly counts: Counts
  readonly defects: ImportDefect[]
  more: number
}

/** See `SiteImports.compare`. */
export async function compareSite(
  context: LocalContext,
  target: ImportSpec,
  signal: AbortSignal,
): Promise<ImportedSite> {
  const record = existingRecord(context.store, target)
  const { plan, manifest } = await inspectKept(context, target.archive, signal)
  const notes = await readNotes(context, record.id)
  const found: Found = { counts: [], defects: [...notes.defects], more: notes.more }
  // An export of content has none: WordPress is ours.
  if (notes.files !== null && plan.source !== 'wxr') {
    const expected = manifest?.files ?? null
    found.counts.push({ what: 'files', expected, found: notes.files.count })
  }
  const about =
    record.siteType === 'wp' ? await compareWordPress(context, record, found, { notes, manifest, signal }) : null
  const pages = await comparePages(context, target, about?.pages ?? pagesToSee(null), found, signal)
  const { defects, more } = named(found.defects)
  return {
    report: {
      source: plan.source,
      file: target.fileName.slice(0, 255),
      from: notes.from ?? manifest?.url ?? null,
      at: context.now(),
      counts: found.counts,
      defects: [...defects],
      // Counted by a site: whatever it says, it fits.
      more: Math.min(found.more + more, maxCounted),
    },
    pages,
    title: about?.title ?? null,
    admin: about?.admin ?? null,
  }
}

/** Database, media and links of a WordPress; what can't be found out is a defect, too. */
async function compareWordPress(
  context: LocalContext,
  record: SiteRecord,
  found: Found,
  {
    notes,
    manifest,
    signal,
  }: { notes: ImportNotes; manifest: Awaited<ReturnType<typeof inspectKept>>['manifest']; signal: AbortSignal },
): Promise<{ pages: string[][]; title: string | null; admin: ImportedSite['admin'] }> {
  const input = { prefix: notes.prefix ?? 'wp_', mysql: record.database === 'mysql' }
  const seen = await runScript(context, record, { script: 'parity', input, signal })
  if (typeof seen['problem'] === 'string') found.defects.push(defect('unfinished', seen['problem']))
  compareRows(new Map(rowsOf(seen['rows'])), notes, manifest?.tables ?? null, found)
  const counts = (seen['counts'] ?? {}) as Record<string, unknown>
  const [media, missing] = [countOf(counts['media']), countOf(counts['missing'])]
  found.counts.push({ what: 'media', expected: media, found: media - missing })
  for (const path of textsOf(seen['missing'])) found.defects.push(defect('media', path))
  for (const plugin of textsOf(seen['plugins'])) found.defects.push(defect('plugin_missing', plugin))
  for (const theme of textsOf(seen['themes'])) found.defects.push(defect('theme_missing', theme))
  const [serialized, broken] = [countOf(counts['serialized']), countOf(counts['unserializable'])]
  found.counts.push({ what: 'serialized', expected: serialized, found: serialized - broken })
  for (const place of textsOf(seen['unserializable'])) found.defects.push(defect('serialized', place))
  if (countOf(counts['partial']) > 0) found.defects.push(defect('unfinished', 'Media files and serialized values'))
  const lists = ['missing', 'plugins', 'unserializable'].map((list) => textsOf(seen[list]).length)
  found.more += Math.max(
    0,
    missing + countOf(counts['gone_plugins']) + broken - lists.reduce((sum, one) => sum + one, 0),
  )
  const links = await findLinks(context, record, signal)
  const { title: name, login, email } = links
  const admin =
    typeof login === 'string' && typeof email === 'string'
      ? { login: login.slice(0, 60), email: email.slice(0, 140) }
      : null
  await compareLinks(
    context,
    record,
    { total: countOf(links['links']), doubtful: tuplesOf(links['doubtful']), isPartial: links['partial'] === true },
    found,
    signal,
  )
  return {
    pages: pagesToSee(links),
    title: typeof name === 'string' ? name : null,
    admin,
  }
}

/** Each table of the archive against the one of the site. */
function compareRows(
  now: ReadonlyMap<string, number>,
  { rows }: ImportNotes,
  tables: Readonly<Record<string, number>> | null,
  { counts, defects }: Found,
): void {
  const wanted = (tables === null ? rows : Object.entries(tables)).map(([name, count]) => ({ name, rows: count }))
  const present = wanted.filter(({ name }) => now.has(name))
  const written = new Map(rows)
  /** Of tables that change by themselves, what was written; the site has already changed them since. */
  const arrived = (name: string): number => (isChanging(name) ? written : now).get(name) ?? 0
  const sum = (list: readonly number[]) => list.reduce((total, one) => total + one, 0)
  counts.push(
    { what: 'tables', expected: wanted.length, found: present.length },
    {
      what: 'rows',
      expected: sum(wanted.map((one) => one.rows)),
      found: sum(present.map((one) => Math.min(one.rows, arrived(one.name)))),
    },
  )
  for (const { name, rows: expected } of wanted) {
    const found = now.get(name)
    if (found === undefined) defects.push(defect('table_missing', name))
    else if (found < expected && !isChanging(name)) defects.push(defect('rows_differ', name, `${expected} ${found}`))
  }
}

/** Links that WordPress alone can't judge are requested like a visitor would. */
async function compareLinks(
  context: LocalContext,
  record: SiteRecord,
  { total, doubtful, isPartial }: { total: number; doubtful: readonly string[][]; isPartial: boolean },
  { counts, defects }: Found,
  signal: AbortSignal,
): Promise<void> {
  const until = context.now() + requestMs
  let broken = 0
  let requested = 0
  for (const [path = '', where = ''] of doubtful) {
    if (context.now() > until) break
    requested += 1
    const status = await statusOf(context, record, path, signal)
    if (status < 400) continue
    broken += 1
    defects.push(defect('link', path, where))
  }
  const expected = total - (doubtful.length - requested)
  counts.push({ what: 'links', expected, found: expected - broken })
  if (isPartial || requested < doubtful.length) defects.push(defect('unfinished', 'Some internal links'))
}

async function statusOf(context: LocalContext, record: SiteRecord, path: string, signal: AbortSignal): Promise<number> {
  if (!/^\/(?!\/)[\x21-\x7e]{0,1000}$/.test(path)) return 0
  const { status } = await requestSite(context, { ...record, server: thisMachine }, path, { signal })
  return status
}

/** The homepage and some posts must answer with their titles. */
async function comparePages(
  context: LocalContext,
  target: ImportSpec,
  pages: readonly string[][],
  { counts, defects }: Found,
  signal: AbortSignal,
): Promise<SeenPage[]> {
  const seen: SeenPage[] = []
  let good = 0
  for (const [path = '/', title = ''] of pages) {
    const response = await requestSite(context, target, encodedPath(path), { signal })
    seen.push(seenPage(path, response))
    if (response.status >= 400) defects.push(defect('page_status', path, String(response.status)))
    else if (response.status < 300 && title !== '' && !hasTitle(response.body, title))
      defects.push(defect('page_title', path, title))
    else good += 1
  }
  counts.push({ what: 'pages', expected: pages.length, found: good })
  return seen
}

const hasTitle = (html: string, title: string): boolean =>
  plainTitle(html).includes(plainTitle(title.replaceAll(/["'“”‘’«»–—…]/g, '')))
