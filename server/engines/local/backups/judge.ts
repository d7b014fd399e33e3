import { isDiskFull } from '#server/platform/files/disk-space.ts'
import { maxTables as maxCounted } from '#server/platform/mysql/count-rows.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { addAll, compareCounts, compareRows, notePages, TooSlow, wasCounted, type Found } from '../../backup-verdict.ts'
import type { RehearsalVerdict } from '../../site-backups.ts'
import type { ManifestSummary } from '../../site-manifest.ts'
import { thisMachine, type SiteRef } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import { isChanging } from '../portable/compare-site.ts'
import { readNotes, type ImportNotes } from '../portable/import-notes.ts'
import { ScriptFailure } from '../processes/script-calls.ts'
import { rowsOf } from '../../script-results.ts'
import { countContent } from '../portable/seen-site.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import { runScript } from '../wordpress/run-script.ts'
import { judgeLogin, judgePages, type Judged } from './judge-visits.ts'
import { manifestOf } from './rehearse-steps.ts'

/** Tables that a script counts. */
const maxTables = 500

/** See `SiteRehearsals.judge`. Code of the site that fails is a defect; a machine that fails is an error. */
export async function judgeRehearsal(
  context: LocalContext,
  rehearsal: SiteRef,
  signal: AbortSignal,
): Promise<RehearsalVerdict> {
  const record = existingRecord(context.store, rehearsal)
  const manifest = await manifestOf(context, record)
  if (record.state !== 'ready')
    throw new EngineError('conflict', msg`The rehearsal is not finished.`, { nextAction: msg`Rehearse it again.` })
  const notes = await readNotes(context, record.id)
  const found: Found = { defects: [], seen: [], unjudged: [] }
  judgeFiles(notes, manifest, found)
  if (record.siteType !== 'wp' && manifest.database !== null) judgeDump(notes, manifest, found)
  const damaged = found.defects.length
  addAll(
    found,
    'A part of the database could not be imported',
    notes.defects.filter(({ kind }) => kind !== 'left_out').map(({ what, detail }) => `${what} ${detail}`.trim()),
  )
  if (record.siteType === 'wp') {
    const isUsable = await judging(found, signal, 'WordPress does not start', async () => {
      await judgeRows(context, record, { notes, manifest, found, signal })
      await judgeCounts(context, record, { manifest, found, signal })
    })
    if (isUsable)
      await judging(found, signal, 'An administrator can’t log in', async () =>
        judgeLogin(context, record, { manifest, found, signal }),
      )
  }
  await judgePages(context, record, { manifest, found, signal })
  await assertRoom(context, record, found.defects.length > damaged)
  const { defects, seen, unjudged } = found
  if (manifest.network === 'subdom')
    unjudged.push('Of a network with subdomains, only the main site can be tried out on the machine of Easydash.')
  notePages(manifest, found)
  const inconclusive = defects.length > damaged ? await lackOf(context, record, manifest) : (unjudged[0] ?? null)
  return inconclusive !== null && damaged === 0
    ? { defects: [], seen, inconclusive }
    : { defects, seen, inconclusive: null }
}

/** A site that can't write shows defects that are none of its backup. */
async function assertRoom({ store }: LocalContext, record: SiteRecord, hasDefects: boolean): Promise<void> {
  if (!hasDefects || !(await isDiskFull(store.paths(record.id).www))) return
  throw new EngineError('unavailable', msg`The disk of this machine has no room to try the backup out.`, {
    nextAction: msg`Make room on the disk, then try again.`,
  })
}

/** Runs a part; false and a defect if the site's code fails, twice if it could be by chance. */
async function judging(
  { defects, seen, unjudged }: Found,
  signal: AbortSignal,
  defect: string,
  work: () => Promise<void>,
): Promise<boolean> {
  const before = [defects.length, seen.length] as const
  for (let isAgain = false; ; isAgain = true) {
    try {
      await work()
      return true
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof TooSlow) {
        unjudged.push(error.message)
        return true
      }
      const isOfSite =
        error instanceof ScriptFailure ||
        (error instanceof EngineError && error.code === 'unavailable' && !error.retryable)
      if (!isOfSite) throw error
      ;[defects.length, seen.length] = before
      if (error.retryable && !isAgain) continue
      defects.push({ defect, evidence: error.message.slice(0, 300) })
      return false
    }
  }
}

function judgeFiles({ damaged }: ImportNotes, { files }: ManifestSummary, found: Found): void {
  addAll(found, 'A file is not the one that was backed up', damaged.names, damaged.count)
  found.seen.push({ what: 'files', expected: files, found: Math.max(0, files - damaged.count) })
}

/** The dump of a PHP site can only be read: its code gets no database here. */
function judgeDump({ rows }: ImportNotes, { tables }: ManifestSummary, found: Found): void {
  const inDump = new Map(rows)
  const all = new Set([...Object.keys(tables), ...inDump.keys()])
  // Of more tables than are counted, both need not have named the same.
  const isCounted = (name: string): boolean =>
    inDump.size < maxCounted || (inDump.has(name) && Object.hasOwn(tables, name))
  addAll(
    found,
    'A table of the dump is not as the backup says',
    [...all]
      .filter((name) => isCounted(name) && tables[name] !== inDump.get(name))
      .map((name) => `${name}: ${inDump.get(name) ?? 'no'} rows instead of ${tables[name] ?? 'none'}`),
  )
  found.seen.push({ what: 'tables', expected: Object.keys(tables).length, found: inDump.size })
  found.unjudged.push(onlyRead)
}

const onlyRead =
  'The dump of the database is whole, and was read; it was not loaded, because PHP sites have no database on the machine of Easydash.'

async function judgeRows(
  context: LocalContext,
  record: SiteRecord,
  { notes, manifest, found, signal }: Judged & { readonly notes: ImportNotes },
): Promise<void> {
  const input = { prefix: '', mysql: false, rows_only: true }
  const result = await runScript(context, record, { script: 'parity', input, signal })
  if (typeof result['problem'] === 'string') {
    found.defects.push({ defect: 'The database can’t be read', evidence: result['problem'].slice(0, 300) })
    return
  }
  const [now, written] = [new Map(rowsOf(result['rows'])), new Map(notes.rows)]
  // Of more tables than are counted, what was imported is known.
  const isPresent = (name: string): boolean => now.has(name) || (now.size >= maxTables && written.has(name))
  const tables = Object.entries(manifest.tables).filter(
    ([name, rows]) => now.size < maxTables || now.has(name) || rows > 0,
  )
  const arrivedOf = (name: string): number => {
    const imported = written.get(name) ?? 0
    return isChanging(name) ? imported : Math.min(imported, now.get(name) ?? imported)
  }
  compareRows(found, { expected: tables, rowsOf: (name) => (isPresent(name) ? arrivedOf(name) : null) })
  addAll(
    found,
    'The database has a table that the backup does not name',
    [...written.keys()].filter((name) => !Object.hasOwn(manifest.tables, name)),
  )
}

async function judgeCounts(
  context: LocalContext,
  record: SiteRecord,
  { manifest, found, signal }: Judged,
): Promise<void> {
  if (!wasCounted(manifest, found)) return
  compareCounts(found, manifest.counts, await countContent(context, record, signal, manifest.engine === 'ee'))
}

/** What this machine lacks that explains what was found; null if nothing is known. */
async function lackOf(context: LocalContext, record: SiteRecord, manifest: ManifestSummary): Promise<string | null> {
  if (record.siteType !== 'wp' && manifest.database !== null) return onlyRead
  // Archives that do not say it are of the site that had the name when they were made.
  const kind = manifest.database_kind ?? context.store.byDomain(manifest.site)?.database
  if (manifest.engine === 'ee' || kind === 'mysql')
    return 'The site runs on MySQL; here its backup was tested on SQLite, on which not everything works.'
  // Without PHP there is nothing to lack.
  if (record.siteType === 'html') return null
  const { lines } = await context.logs.read({ ...record, server: thisMachine }, 'php', { from: 'end' })
  const missing =
    /Call to undefined function ((?:mysqli?|pg|sqlsrv|oci|imap|ldap|ftp|ssh2|gmp|bc|imagick|redis|memcached?|apcu|intl|soap|snmp)_?\w{0,60})\(|Class "(mysqli|Imagick|Redis|Memcached?|SoapClient|IMAP\\\w{1,40}|Gmagick)" not found/
  for (const line of lines) {
    const [, name, other] = missing.exec(line) ?? []
    const lacking = name ?? other
    if (lacking !== undefined) return `The site needs ${lacking}, which PHP does not have on this machine.`
  }
  return null
}
