import { sql } from 'kysely'
import { activityHash, platformChain } from '#server/documents/activity-log.ts'
import { columnNames, tableRef } from '#server/documents/schema.ts'
import type { Db } from '#server/documents/types.ts'
import { ActivityType } from '#shared/doctypes/activity.ts'

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

type Row = Record<string, unknown> & { name: string; creation: string; sequence: number | null }

/**
 * Recomputes every chain of the activity log, one after the other, in one consistent picture of the database and without
 * ever holding more than a page of `pageSize` entries. The head of a chain says how many entries there are and which hash is the last.
 */
export async function verifyChains(db: Db, report: (chain: ChainReport) => void, pageSize = 1000): Promise<void> {
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      // The first look at a log of millions takes its time.
      await sql`set local statement_timeout = 0`.execute(trx)
      for (const chain of await chainsOf(trx)) report(await verifyChain(trx, chain, pageSize))
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

async function verifyChain(trx: Db, chain: string, pageSize: number): Promise<ChainReport> {
  const found = await sql<{ hash: string; entries: number }>`
    select hash, entries from easydash_activity_head where chain = ${chain}`.execute(trx)
  const head = found.rows[0]
  let before: Row | null = null
  let fitting = 0
  let lastHash = ''
  const result = (problem: string | null): ChainReport => ({ chain, fitting, lastHash, problem })
  for await (const row of rowsOf(trx, chain, pageSize)) {
    const problem = linkProblem(row, before, fitting, lastHash)
    if (problem !== null) return result(problem)
    before = row
    fitting += 1
    lastHash = String(row['hash'])
  }
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

const missingText = (count: number) => (count === 1 ? 'one entry is missing' : `${count} entries are missing`)

function placeOf(row: Row | null): string {
  return row ? `entry ${row.name} of ${row.creation}` : 'the beginning'
}

/** The entries of a chain in order. Those from before entries were numbered come first, in the order of time. */
async function* rowsOf(trx: Db, chain: string, pageSize: number): AsyncGenerator<Row> {
  const columns = sql.join(columnNames(ActivityType).map((name) => sql.id(name)))
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
