import { sql } from 'kysely'
import { activityHash, platformChain } from '#server/documents/activity/activity-log.ts'
import { columnNames, tableRef } from '#server/documents/store/schema.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'

/** What was found in the log of one organization (or of the platform). */
export interface ChainReport {
  /** Slug of the organization; empty for what happened outside of organizations. */
  readonly chain: string
  /** Entries that follow one another without a break, from the first one on. */
  readonly fitting: number
  /** Hash of the last of them. Written down elsewhere, it proves later that nothing before it was changed. */
  readonly lastHash: string
  /** The first broken link in words; null when the whole chain fits. */
  readonly problem: string | null
}

/** A head of a chain that was recorded outside the database. */
export interface RecordedHead {
  readonly hash: string
  /** When and where, for people, e.g. `on 2026-01-02T03:04:05Z (line 7 of heads.log)`. */
  readonly recorded: string
}

/** Recorded heads by chain and number of entries. */
export type RecordedHeads = ReadonlyMap<string, ReadonlyMap<number, RecordedHead>>

const nothingRecorded: ReadonlyMap<number, RecordedHead> = new Map()

/** How to verify. */
export interface VerifyOptions {
  /** Entries held at a time. */
  readonly pageSize?: number
  /** What the chains have to agree with beside themselves: a log that was computed anew fits itself. */
  readonly recorded?: RecordedHeads
}

type Row = Record<string, unknown> & { name: string; creation: string; sequence: number | null }

/**
 * Recomputes every chain of the activity log, one after the other, in one consistent picture of the database and without
 * ever holding more than a page of entries. The head of a chain says how many entries there are and which hash is the last.
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
      // The first look at a log of millions takes its time.
      await sql`set local statement_timeout = 0`.execute(trx)
      const chains = new Set([...(await chainsOf(trx)), ...recorded.keys()])
      for (const chain of [...chains].toSorted())
        report(await verifyChain(trx, chain, pageSize, recorded.get(chain) ?? nothingRecorded))
    })
}

/**
 * Every chain there is or must be: with a head, with entries, or of something that left an entry when it was made.
 * Chains and their heads that were removed altogether are seen by that.
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
  /** Entries up to which the recorded heads agree. */
  let agreed = 0
  const result = (problem: string | null): ChainReport => ({ chain, fitting, lastHash, problem })
  for await (const row of rowsOf(trx, chain, pageSize)) {
    const problem = linkProblem(row, before, fitting, lastHash)
    if (problem !== null) return result(problem)
    before = row
    fitting += 1
    lastHash = String(row['hash'])
    const was = recorded.get(fitting)
    if (was === undefined) continue
    if (was.hash !== lastHash) return result(rewrittenText(row, agreed, was))
    agreed = fitting
  }
  const longest = largest(recorded.keys())
  if (longest > fitting)
    return result(
      `${missingText(longest - fitting)} after ${placeOf(before)}: there were ${longest} ${recorded.get(longest)?.recorded}`,
    )
  if (!head) return result(fitting === 0 ? 'all entries and the head are missing' : 'the head of the chain is missing')
  if (head.entries > fitting) return result(`${missingText(head.entries - fitting)} after ${placeOf(before)}`)
  if (head.entries < fitting || head.hash !== lastHash)
    return result(`the head of the chain does not know ${placeOf(before)}`)
  return result(null)
}

/** What is wrong between an entry and the one before it; null when they fit. */
function linkProblem(row: Row, before: Row | null, fitting: number, lastHash: string): string | null {
  if (activityHash(row) !== row['hash']) return `${placeOf(row)} was changed`
  if (row['previous_hash'] === lastHash && (row.sequence === null || row.sequence === fitting + 1)) return null
  const gap = row.sequence === null ? 0 : row.sequence - fitting - 1
  if (gap > 0) return `${missingText(gap)} between ${placeOf(before)} and ${placeOf(row)}`
  return `${placeOf(row)} does not follow ${placeOf(before)}`
}

/** Between two recorded heads nobody can tell which entry was the first. */
function rewrittenText(row: Row, agreed: number, was: RecordedHead): string {
  const from = agreed === 0 ? 'from the beginning on' : `after entry number ${agreed}`
  return `the log was computed anew ${from}: ${placeOf(row)} is not the one that was recorded ${was.recorded}`
}

/** The largest of numbers above 0, or 0; as arguments of one call, very many of them would be too much for the stack. */
export function largest(numbers: Iterable<number>): number {
  let most = 0
  for (const number of numbers) most = Math.max(most, number)
  return most
}

const missingText = (count: number) => (count === 1 ? 'one entry is missing' : `${count} entries are missing`)

function placeOf(row: Row | null): string {
  return row ? `entry ${row.name} of ${row.creation}` : 'the beginning'
}

/** The entries of a chain in order. Those from before entries were numbered come first, in the order of time. */
async function* rowsOf(trx: Db, chain: string, pageSize: number): AsyncGenerator<Row> {
  const columns = sql.join(columnNames(ActivityDoctype).map((name) => sql.id(name)))
  const own = chain === platformChain ? sql`coalesce(organization, '') = ''` : sql`organization = ${chain}`
  const parts = [
    {
      which: sql`sequence is null`,
      key: sql`(creation, name)`,
      last: (row: Row) => sql`(${row.creation}, ${row.name})`,
    },
    {
      which: sql`sequence is not null`,
      key: sql`(sequence, name)`,
      last: (row: Row) => sql`(${row.sequence}, ${row.name})`,
    },
  ]
  for (const { which, key, last } of parts) {
    let after = sql`true`
    for (;;) {
      const { rows } = await sql<Row>`select ${columns} from ${tableRef('Activity')}
        where ${own} and ${which} and ${after} order by ${key} limit ${pageSize}`.execute(trx)
      yield* rows
      const end = rows.at(-1)
      if (!end || rows.length < pageSize) break
      after = sql`${key} > ${last(end)}`
    }
  }
}
