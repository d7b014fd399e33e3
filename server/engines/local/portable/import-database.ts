import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { msg } from '#shared/localized-message.ts'
import { unwritten } from '../../database-problems.ts'
import { EngineError, type StepContext } from '../../engine.ts'
import type { ArchiveFacts } from '../archives/site-archive.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript } from '../wordpress/run-script.ts'
import { finishContent, installForContent } from './import-content.ts'
import { defect, note, readNotes, withDefects } from './import-notes.ts'
import { countOf, rowsOf, textsOf, tuplesOf } from '../../script-results.ts'

/** Where the dump is until it is imported; hidden names are never served. */
export const importedDump = 'wp-content/database/.ht.easydash-import.sql'

/** The kinds of defects that a dump can have, by what the script calls them. */
const kinds = {
  not_imported: 'statement',
  refused: 'refused_statement',
  too_long: 'long_statement',
  row: 'row',
} as const
/** The same as kinds of defects. */
export const kindsOfDump = [...Object.values(kinds), 'other_tables'] as const

/**
 * Imports the dump that was unpacked with the files: in parts, each of which the site's process ends within seconds. Begins anew
 * until it has come to the end. A rehearsal gets all tables, whatever they are called.
 */
export async function importDatabase(
  context: LocalContext,
  record: SiteRecord,
  facts: Pick<ArchiveFacts, 'prefix' | 'newPrefix' | 'active' | 'content'>,
  step: StepContext,
): Promise<void> {
  const { signal } = step
  if ((await readNotes(context, record.id)).hasDatabase) return
  const dump = `/wordpress/${importedDump}`
  const isWhole = record.rehearsal === true
  const inDump = isWhole ? '' : (facts.prefix ?? (await findPrefix(context, record, dump, signal)))
  const prefix = facts.newPrefix ?? inDump
  const { content } = facts
  const isOnMysql = record.database === 'mysql'
  if (content !== null) await installForContent(context, record, content, step)
  else if (isOnMysql) await context.mysql.empty(record.id, signal)
  const rows = new Map<string, number>()
  const others = new Set<string>()
  const found: ReturnType<typeof defect>[] = []
  let [offset, delimiter, failed, urls]: [number, string, number, string[] | null] = [0, ';', 0, null]
  for (let isDone = false; !isDone;) {
    signal.throwIfAborted()
    const input = {
      dump,
      offset,
      delimiter,
      prefix: inDump,
      newPrefix: facts.newPrefix,
      active: facts.active,
      keep: content !== null,
      mysql: isOnMysql,
      whole: isWhole,
    }
    const result = await runScript(context, record, { script: 'import', input, signal })
    if (typeof result['problem'] === 'string') throw cannotImport(result['problem'])
    crashPoint('local.import/part-imported')
    const next = countOf(result['offset'])
    isDone = result['done'] === true
    if (!isDone && next <= offset) throw cannotImport('It did not go on.')
    offset = next
    delimiter = typeof result['delimiter'] === 'string' ? result['delimiter'].slice(0, 16) : ';'
    for (const [table, count] of rowsOf(result['rows'])) rows.set(table, (rows.get(table) ?? 0) + count)
    failed += countOf(result['failed'])
    for (const [kind = '', what = '', why = ''] of tuplesOf(result['defects']))
      if (Object.hasOwn(kinds, kind) && found.length < 200)
        found.push(defect(kinds[kind as keyof typeof kinds], what, why))
    for (const table of textsOf(result['left'], 64)) if (others.size < 500) others.add(table)
    if (Array.isArray(result['urls']) && result['urls'].length > 0) urls = textsOf(result['urls'])
    step.progress(1 - 1 / (1 + offset / 20_000_000))
  }
  if (urls === null && !isWhole) throw noWordPress(inDump)
  if (content !== null) await finishContent(context, record, content, signal)
  if (others.size > 0) found.push(defect('other_tables', String(others.size), [...others].slice(0, 10).join(', ')))
  const total = [...rows.values()].reduce((sum, count) => sum + count, 0)
  step.log(`Imported ${total} rows into ${rows.size} tables with the prefix ${prefix}`)
  if (failed > 0) step.log(`${failed} rows could not be imported`)
  const notes = await readNotes(context, record.id)
  await note(context, record.id, {
    prefix,
    hasDatabase: true,
    rows: [...rows],
    from: content === null ? addressOf(urls ?? []) : content.from,
    ...withDefects(notes, kindsOfDump, found),
  })
}

/** The address that the site had: of the first option that has one. */
function addressOf(urls: readonly string[]): string | null {
  return urls.find((url) => /^https?:\/\//i.test(url) && URL.canParse(url))?.replace(/\/{1,20}$/, '') ?? null
}

async function findPrefix(
  context: LocalContext,
  record: SiteRecord,
  dump: string,
  signal: AbortSignal,
): Promise<string> {
  const input = { dump, offset: 0, delimiter: ';', prefix: null }
  const { prefixes, problem } = await runScript(context, record, { script: 'import', input, signal })
  if (typeof problem === 'string') throw cannotImport(problem)
  const found = textsOf(prefixes, 40)
  const [prefix] = found
  if (found.length === 1 && prefix !== undefined) return prefix
  if (prefix === undefined) throw noWordPress(null)
  throw new EngineError('invalid', msg`The dump has the tables of several WordPress sites: ${found.join(', ')}.`, {
    nextAction: msg`Add the wp-config.php of the site to the archive: it says which ones to take.`,
  })
}

function noWordPress(prefix: string | null): EngineError {
  const nextAction = msg`Export the database of the WordPress site again, with all of its tables.`
  return prefix === null
    ? new EngineError('invalid', msg`The dump has no tables of WordPress.`, { nextAction })
    : new EngineError('invalid', msg`The dump has no tables of WordPress with the prefix ${prefix}.`, { nextAction })
}

function cannotImport(problem: string): EngineError {
  if (problem === 'no room') return unwritten()
  return new EngineError('invalid', msg`The dump of the database can’t be read: ${problem.slice(0, 200)}`, {
    nextAction: msg`Export the database again, and import the new archive.`,
  })
}
