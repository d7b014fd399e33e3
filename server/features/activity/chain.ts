import { sql } from 'kysely'
import { activityHash, platformChain, columnNames, tableRef } from '#server/documents/documents.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'

/** Verification result for one organization's log (or the platform's). */
export interface ChainReport {
  /** Slug of the organization; empty for events outside of organizations. */
  readonly chain: string
  /** Number of valid consecutive entries, from the first one on. */
  readonly fitting: number
  /** Hash of the last valid entry. Recorded elsewhere, it proves later that nothing before it was changed. */
  readonly lastHash: string
  /** Description of the first broken link; null if the whole chain is valid. */
  readonly problem: string | null
}

/** A chain head that was recorded outside the database. */
export interface RecordedHead {
  readonly hash: string
  /** When and where, for display, e.g. `on 2026-01-02T03:04:05Z (line 7 of heads.log)`. */
  readonly recorded: string
}

/** Recorded heads by chain and number of entries. */
export type RecordedHeads = ReadonlyMap<string, ReadonlyMap<number, RecordedHead>>

const nothingRecorded: ReadonlyMap<number, RecordedHead> = new Map()

/** Options for verification. */
export interface VerifyOptions {
  /** Entries held in memory at a time. */
  readonly pageSize?: number
  /** Heads to compare the chains with: a log with recomputed hashes is consistent in itself. */
  readonly recorded?: RecordedHeads
}

type Row = Record<string, unknown> & {
  name: string
  creation: string
  sequence: number | null
  hash: string | null
  previous_hash: string | null
}

/**
 * Recomputes every chain of the activity log, one after the other, in one consistent snapshot and with at most one page of
 * entries in memory. The head of a chain says how many entries there are and what the last hash is.
 */
export async function verifyChains(
  db: Db,
  report: (chain: ChainReport) => void,
  options: VerifyOptions = {},
): Promise<void> {
  const { pageSize = 1000, recorded = new Map<string, never>() } = options
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      // A log with millions of entries takes longer than the default timeout.
      await sql`set local statement_timeout = 0`.execute(trx)
      const chains = new Set([...(await chainsOf(trx)), ...recorded.keys()])
      for (const chain of [...chains].toSorted())
        report(await verifyChain(trx, chain, pageSize, recorded.get(chain) ?? nothingRecorded))
    })
}

/**
 * All chains that exist or must exist: those with a head, those with entries, and those of organizations and users, whose
 * creation is always logged. This detects chains that were removed together with their heads.
 */
async function chainsOf(trx: Db): Promise<string[]> {
  const { rows } = await sql<{ chain: string }>`select chain from easydash_activity_head
    union select distinct coalesce(organization, ${platformChain}) from ${tableRef('Activity')}
    union select name from ${tableRef('Organization')}
    union select ${platformChain} from ${tableRef('User')} order by 1`.execute(trx)
  return rows.map((row) => row.chain)
}

async function verifyChain(
  trx: Db,
  chain: string,
  pageSize: number,
  recorded: ReadonlyMap<number, RecordedHead>,
): Promise<ChainReport> {
  const found = await sql<{ hash: string; entries: number }>`
    select hash, entries from easydash_activity_head where chain = ${chain}`.execute(trx)
  const head = found.rows[0]
  let before: Row | null = null
  let fitting = 0
  let lastHash = ''
  /** Number of entries up to which the recorded heads match. */
  let matching = 0
  const result = (problem: string | null): ChainReport => ({ chain, fitting, lastHash, problem })
  for await (const row of rowsOf(trx, chain, pageSize)) {
    const problem = linkProblem(row, before, fitting, lastHash)
    if (problem !== null) return result(problem)
    before = row
    fitting += 1
    // Not null: it is the hash of this entry.
    lastHash = row.hash ?? ''
    const was = recorded.get(fitting)
    if (was === undefined) continue
    if (was.hash !== lastHash) return result(rewrittenText(row, matching, was))
    matching = fitting
  }
  const longest = largest(recorded.keys())
  if (longest > fitting)
    return result(
      `${missingText(longest - fitting)} after ${describePosition(before)}: there were ${longest} ${recorded.get(longest)?.recorded}`,
    )
  if (!head) return result(fitting === 0 ? 'all entries and the head are missing' : 'the head of the chain is missing')
  if (head.entries > fitting) return result(`${missingText(head.entries - fitting)} after ${describePosition(before)}`)
  if (head.entries < fitting || head.hash !== lastHash)
    return result(`the head of the chain does not know ${describePosition(before)}`)
  return result(null)
}

/** Describes what is wrong between an entry and the previous one; null if they are consistent. */
function linkProblem(row: Row, before: Row | null, fitting: number, lastHash: string): string | null {
  if (activityHash(row) !== row.hash) return `${describePosition(row)} was changed`
  if (row.previous_hash === lastHash && row.sequence === fitting + 1) return null
  const gap = (row.sequence ?? 0) - fitting - 1
  if (gap > 0) return `${missingText(gap)} between ${describePosition(before)} and ${describePosition(row)}`
  return `${describePosition(row)} does not follow ${describePosition(before)}`
}

/** Between two recorded heads, the first altered entry cannot be determined. */
function rewrittenText(row: Row, matching: number, was: RecordedHead): string {
  const from = matching === 0 ? 'from the beginning on' : `after entry number ${matching}`
  return `the log was computed anew ${from}: ${describePosition(row)} is not the one that was recorded ${was.recorded}`
}

/** The largest number above 0, or 0. `Math.max(...numbers)` would overflow the stack for very many. */
export function largest(numbers: Iterable<number>): number {
  let most = 0
  for (const number of numbers) most = Math.max(most, number)
  return most
}

const missingText = (count: number) => (count === 1 ? 'one entry is missing' : `${count} entries are missing`)

function describePosition(row: Row | null): string {
  return row ? `entry ${row.name} of ${row.creation}` : 'the beginning'
}

/** The entries of a chain in order; those without a number, which do not belong there, come last. */
async function* rowsOf(trx: Db, chain: string, pageSize: number): AsyncGenerator<Row> {
  const columns = sql.join(columnNames(ActivityDoctype).map((name) => sql.id(name)))
  const own = chain === platformChain ? sql`coalesce(organization, '') = ''` : sql`organization = ${chain}`
  let after = sql`true`
  for (;;) {
    const { rows } = await sql<Row>`select ${columns} from ${tableRef('Activity')}
      where ${own} and ${after} order by sequence, name limit ${pageSize}`.execute(trx)
    yield* rows
    const end = rows.at(-1)
    if (!end || rows.length < pageSize) return
    after = sql`((sequence, name) > (${end.sequence}, ${end.name}) or sequence is null)`
  }
}
