import { sql } from 'kysely'
import { platformChain, tableRef } from '#server/documents/documents.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { adminProfile } from '#shared/doctypes/user.ts'
import type { HeadLine } from './head-lines.ts'

/** The end of a chain. */
export interface Head {
  readonly chain: string
  readonly entries: number
  readonly hash: string
}

/** Display name of a chain. */
export const chainName = (chain: string): string => (chain === platformChain ? 'platform' : chain)

/** The heads of all chains with entries. */
export async function currentHeads(trx: Db): Promise<Head[]> {
  const { rows } = await sql<Head>`select chain, entries, hash from easydash_activity_head
    where entries > 0 order by chain`.execute(trx)
  return rows
}

/** A chain that was altered. `recorded` is null if its head and its last entry contradict each other. */
export interface RewrittenChain {
  readonly chain: string
  readonly recorded: HeadLine | null
}

/**
 * Chains whose last recorded entry is missing or different, and chains whose head does not match their last entry. Checks
 * only two entries per chain; `audit verify` checks all of them.
 */
export async function rewrittenChains(
  trx: Db,
  recorded: readonly HeadLine[],
  current: readonly Head[],
): Promise<RewrittenChain[]> {
  const found: RewrittenChain[] = []
  for (const { head, hash } of await hashesAt(trx, recorded))
    if (hash !== head.hash) found.push({ chain: head.chain, recorded: head })
  const known = new Set(found.map(({ chain }) => chain))
  for (const { head, hash } of await hashesAt(trx, current))
    if (hash !== head.hash && !known.has(head.chain)) found.push({ chain: head.chain, recorded: null })
  return found
}

/** Hashes of the entries at those positions, in one statement for all organizations; null if there is none. */
async function hashesAt<H extends Head>(trx: Db, heads: readonly H[]): Promise<{ head: H; hash: string | null }[]> {
  const places = JSON.stringify(heads.map(({ chain, entries }, at) => ({ at, chain, entries })))
  const { rows } = await sql<{ at: number; hash: string }>`
    select p.at, a.hash from jsonb_to_recordset(${places}::jsonb) as p (at int, chain text, entries bigint)
      join ${tableRef('Activity')} a on a.organization = p.chain and a.sequence = p.entries where p.chain <> ${platformChain}
    union all select p.at, a.hash from jsonb_to_recordset(${places}::jsonb) as p (at int, chain text, entries bigint)
      join ${tableRef('Activity')} a on a.organization is null and a.sequence = p.entries where p.chain = ${platformChain}`.execute(
    trx,
  )
  const hashes = new Map(rows.map(({ at, hash }) => [at, hash]))
  return heads.map((head, at) => ({ head, hash: hashes.get(at) ?? null }))
}

/** Email addresses of the platform admins. Works without a document store, as everything that watches the log does. */
export async function platformAdmins(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${tableRef('User')}
    where role_profile_name = ${adminProfile} and enabled = 1 and email_verified = 1 order by name`.execute(db)
  return rows.map(({ name }) => name)
}
