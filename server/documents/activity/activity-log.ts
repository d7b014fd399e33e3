import type { Doctype } from '#shared/doctype.ts'
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { truncateSide } from './activity-sides.ts'
import { databaseNow, emptyDoc, insertRow, newName } from '../store/rows.ts'
import { tableRef } from '../store/schema.ts'
import type { Session } from '#server/contracts/session.ts'
import type { ActivityEntry, DocumentEvent, Trx } from '#server/contracts/transaction.ts'
import { canonicalJson } from '#shared/same-value.ts'
import { bytesOfRow, type WrittenBytes } from '../store/written-bytes.ts'

/** Chain of events outside organizations. */
export const platformChain = ''

/** Masks secrets in before and after images; built from `redact` by the composition root. */
export type Mask = (value: unknown) => unknown

/** Heads of the hash chains: last hash and number of entries. Runs in the migration, after the doctypes' tables. */
export async function activityTables(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_activity_head (chain text primary key, hash text not null)`.execute(trx)
  const known = await sql`select 1 from information_schema.columns where table_schema = current_schema()
    and table_name = 'easydash_activity_head' and column_name = 'entries'`.execute(trx)
  if (known.rows.length > 0) return
  await sql`alter table easydash_activity_head add column entries bigint not null default 0`.execute(trx)
  await sql`update easydash_activity_head h set entries =
    (select count(*) from ${tableRef('Activity')} a where coalesce(a.organization, '') = h.chain)`.execute(trx)
}

/** Context of the transaction whose activity entries are written. */
export interface ActivityLogContext {
  readonly trx: Trx
  readonly session: Session
  /** Doctype of the activity log. */
  readonly type: Doctype
  readonly mask: Mask
  /** Duration of the transaction's work, for entries without a duration of their own. */
  readonly tookMs: number
  /** Counts the entries' bytes. Default: they aren't counted. */
  readonly written?: WrittenBytes
}

/**
 * Writes the activity entries of a transaction right before it commits. Each entry includes the hash of the organization's
 * previous entry; the head row serves as a lock, so that the chain never forks. Returns the events of the entries.
 */
export async function writeActivities(
  { trx, session, type, mask, tookMs, written }: ActivityLogContext,
  entries: readonly ActivityEntry[],
): Promise<DocumentEvent[]> {
  const events: DocumentEvent[] = []
  const chains = Map.groupBy(entries, (entry) => entry.organization ?? platformChain)
  // Fixed lock order, so that two transactions never deadlock.
  for (const chain of [...chains.keys()].toSorted()) {
    const head = await takeHead(trx, chain)
    const actingFor = await ownerActedFor(trx, session, chain)
    for (const entry of chains.get(chain) ?? []) {
      const now = await databaseNow(trx)
      const actor = entry.actor ?? session.user
      head.entries += 1
      const doc = {
        ...emptyDoc(type),
        name: newName(),
        owner: actor,
        modified_by: actor,
        creation: now,
        modified: now,
        organization: entry.organization ?? null,
        actor,
        on_behalf_of: entry.on_behalf_of ?? actingFor,
        action: entry.action,
        reference_doctype: entry.reference_doctype ?? null,
        reference_name: entry.reference_name ?? null,
        reference_title: entry.reference_title ?? null,
        before: sideOf(entry.before, mask),
        after: sideOf(entry.after, mask),
        result: entry.result ?? 'Done',
        took_ms: entry.took_ms ?? tookMs,
        via: session.via,
        ip: session.ip,
        token: session.token?.name ?? null,
        job: entry.job ?? null,
        sequence: head.entries,
        previous_hash: head.hash,
      }
      head.hash = activityHash(doc)
      written?.add(doc.organization, bytesOfRow(doc))
      await insertRow(trx, type, { ...doc, hash: head.hash }, {})
      const { name, organization } = doc
      events.push({ kind: 'insert', doctype: type.name, name, organization, user: actor, modified: now })
    }
    await sql`update easydash_activity_head set hash = ${head.hash}, entries = ${head.entries}
      where chain = ${chain}`.execute(trx)
  }
  return events
}

/**
 * Prepares a side of an entry for storage: masks secrets first, so that no hash is computed over them, then limits the size.
 */
function sideOf(side: ActivityEntry['before'], mask: Mask): unknown {
  if (!side) return null
  const masked = mask(side)
  return typeof masked === 'object' && masked !== null ? truncateSide({ ...masked }) : masked
}

/** Locks the head of a chain; creates it if it is new. */
async function takeHead(trx: Trx, chain: string): Promise<{ hash: string; entries: number }> {
  const { rows } = await sql<{ hash: string; entries: number }>`
    insert into easydash_activity_head (chain, hash) values (${chain}, '')
    on conflict (chain) do update set hash = easydash_activity_head.hash returning hash, entries`.execute(trx)
  return { hash: rows[0]?.hash ?? '', entries: rows[0]?.entries ?? 0 }
}

/** The user a platform admin acts on behalf of in an organization they aren't a member of: its owner. */
async function ownerActedFor(trx: Trx, session: Session, organization: string): Promise<string | null> {
  if (!session.platformAdmin || organization === platformChain) return null
  const found = await sql<{ owner: string | null }>`select o._owner as owner from ${tableRef('Organization')} o
    where o.name = ${organization} and not exists (
      select 1 from ${tableRef('Organization Member')} m where m.parent = o.name and m."user" = ${session.user})`.execute(
    trx,
  )
  return found.rows[0]?.owner ?? null
}

/**
 * SHA-256 over all set values of an entry, including its predecessor's hash. Unset values are skipped, so that adding a
 * field to the doctype later doesn't change the hashes of older entries.
 */
export function activityHash(doc: Record<string, unknown>): string {
  const { hash: _hash, doctype: _doctype, ...rest } = doc
  const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== undefined))
  return createHash('sha256').update(canonicalJson(present)).digest('hex')
}
