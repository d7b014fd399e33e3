import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { createHash } from 'node:crypto'
import { CompiledQuery, sql } from 'kysely'
import { truncateSide } from './activity-sides.ts'
import { bindable, emptyDoc, newName } from '../store/rows.ts'
import { actsAsMember } from '../store/locks.ts'
import { perDoctype } from '../store/per-doctype.ts'
import { columnNames, tableName, tableRef } from '../store/schema.ts'
import { preparedMark, preparedStatement } from '#server/platform/database/prepared-statements.ts'
import type { Session } from '#server/contracts/session.ts'
import type { ActivityEntry, DocumentEvent, Trx } from '#server/contracts/transaction.ts'
import { serializeMessage } from '#shared/localized-message.ts'
import { canonicalJson } from '#shared/same-value.ts'
import { bytesOfRow, type WrittenBytes } from '../store/written-bytes.ts'

/** Chain of events outside organizations. */
export const platformChain = ''

/** Masks secrets in before and after images; built from `redact` by the composition root. */
export type Mask = (value: unknown) => unknown

/** Heads of the hash chains: last hash and number of entries. Runs in the migration. */
export async function activityTables(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_activity_head (
    chain text primary key,
    hash text not null,
    previous text not null,
    at timestamp(6) not null,
    entries bigint not null)`.execute(trx)
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

/** How hashes are computed (`activityHash`). */
const hashVersion = 1

/**
 * Writes the activity entries of a transaction right before it commits. Each entry includes the hash of the organization's
 * previous entry; the head row serves as a lock, so that the chain never forks. One statement takes that lock, advances the
 * head and inserts the entry. Returns the events of the entries.
 */
export async function writeActivities(
  { trx, session, type, mask, tookMs, written }: ActivityLogContext,
  entries: readonly ActivityEntry[],
): Promise<DocumentEvent[]> {
  const events: DocumentEvent[] = []
  const chains = Map.groupBy(entries, (entry) => entry.organization ?? platformChain)
  // Fixed lock order, so that two transactions never deadlock.
  for (const chain of [...chains.keys()].toSorted()) {
    const actingFor = await ownerActedFor(trx, session, chain)
    for (const entry of chains.get(chain) ?? []) {
      const actor = entry.actor ?? session.user
      const doc = {
        ...emptyDoc(type),
        name: newName(),
        owner: actor,
        modified_by: actor,
        organization: entry.organization ?? null,
        actor,
        on_behalf_of: entry.on_behalf_of ?? actingFor,
        action: entry.action,
        reference_doctype: entry.reference_doctype ?? null,
        reference_name: entry.reference_name ?? null,
        reference_title: (await titleOf(trx, chain, entry)) ?? null,
        reference_address: entry.reference_address ?? null,
        ...serializeMessage('detail', entry.detail ?? null),
        before: sideOf(entry.before, mask),
        after: sideOf(entry.after, mask),
        result: entry.result ?? 'Done',
        took_ms: entry.took_ms ?? tookMs,
        via: session.via,
        ip: session.ip,
        token: session.token?.name ?? null,
        job: entry.job ?? null,
        hash_version: hashVersion,
      }
      written?.add(doc.organization, bytesOfRow(doc) + 2 * hashBytes)
      const modified = await appendEntry(trx, chain, type, doc)
      const { name, organization } = doc
      events.push({ kind: 'insert', doctype: type.name, name, organization, user: actor, modified })
    }
  }
  return events
}

/** What people call the document of an entry. The organization's own, such as its subscription, have its name instead of a title. */
async function titleOf(trx: Trx, organization: string, entry: ActivityEntry): Promise<string | null | undefined> {
  const { reference_title: title, reference_name: name } = entry
  if (title !== organization || name !== organization) return title
  const found = await sql<{
    title: string
  }>`${preparedStatement}select title from ${tableRef('Organization')} where name = ${organization}`.execute(trx)
  return found.rows[0]?.title ?? title
}

/** Bytes of a hash as stored, in hexadecimal digits. */
const hashBytes = 64

/** The hash of an entry as SQL; the same as `activityHash`. */
const linkHashSql = (content: string, previous: string, sequence: string) =>
  `encode(sha256(convert_to(concat_ws(E'\\n', ${content}::text, ${previous}, (${sequence})::text,
    to_char(now.at, 'YYYY-MM-DD HH24:MI:SS.US'), to_char(now.at, 'YYYY-MM-DD HH24:MI:SS.US')), 'UTF8')), 'hex')`

/** The database's clock as a table, read once per row and after the row is locked: entries of a chain are in order of time. */
const clockSql = `(select cast(clock_timestamp() at time zone 'utc' as timestamp(6)) as at offset 0) as now`

/** Columns of an entry that its place in the chain decides, and the column of the head they are. */
const columnsOfHead: ReadonlyMap<string, string> = new Map(
  Object.entries({ creation: 'at', modified: 'at', sequence: 'entries', previous_hash: 'previous', hash: 'hash' }),
)

/**
 * The statement of `appendEntry`, written once, with the columns of its parameters after the chain and the hash of the
 * content.
 */
const appendStatement = perDoctype((type) => {
  const columns = columnNames(type)
  const given = columns.filter((name) => !columnsOfHead.has(name))
  const values = columns.map((name) => {
    const column = columnsOfHead.get(name)
    return column === undefined ? `$${given.indexOf(name) + 3}` : `(select "${column}" from head)`
  })
  const text = `${preparedMark}with head as (
      insert into easydash_activity_head as h (chain, at, previous, entries, hash)
      select $1, now.at, '', 1, ${linkHashSql('$2', "''", '1')} from ${clockSql}
      on conflict (chain) do update set (at, previous, entries, hash) =
        (select now.at, h.hash, h.entries + 1, ${linkHashSql('$2', 'h.hash', 'h.entries + 1')} from ${clockSql})
      returning at, previous, entries, hash)
    insert into "${tableName(type.name)}" (${columns.map((name) => `"${name}"`).join(', ')})
    values (${values.join(', ')}) returning creation as at`
  return { text, given }
})

/** Appends an entry to its chain, which is created with its first. Returns the entry's time. */
async function appendEntry(trx: Trx, chain: string, type: Doctype, doc: AnyDoc): Promise<string> {
  const { text, given } = appendStatement(type)
  const values = [chain, contentHash(doc), ...given.map((name) => bindable(type, name, doc[name]))]
  const { rows } = await trx.executeQuery<{ at: string }>(CompiledQuery.raw(text, values))
  return rows[0]?.at ?? ''
}

/**
 * Prepares a side of an entry for storage: masks secrets first, so that no hash is computed over them, then limits the size.
 */
function sideOf(side: ActivityEntry['before'], mask: Mask): unknown {
  if (!side) return null
  const masked = mask(side)
  return typeof masked === 'object' && masked !== null ? truncateSide({ ...masked }) : masked
}

/** The user a platform admin acts on behalf of in an organization they aren't a member of: its owner. */
export async function ownerActedFor(trx: Trx, session: Session, organization: string): Promise<string | null> {
  if (!session.platformAdmin || organization === platformChain) return null
  if (actsAsMember(trx, organization, session.user)) return null
  const found = await sql<{
    owner: string | null
  }>`${preparedStatement}select o._owner as owner from ${tableRef('Organization')} o
    where o.name = ${organization} and not exists (
      select 1 from ${tableRef('Organization Member')} m where m.parent = o.name and m."user" = ${session.user})`.execute(
    trx,
  )
  return found.rows[0]?.owner ?? null
}

/**
 * SHA-256 of an entry, which includes its predecessor's hash: over five lines, the hash of its content, the predecessor's
 * hash, its number and its times, so that PostgreSQL can compute it in the statement that knows them.
 */
export function activityHash(doc: Record<string, unknown>): string {
  const { previous_hash, sequence, creation, modified } = doc
  return sha256([contentHash(doc), previous_hash, sequence, creation, modified].join('\n'))
}

/** What is not part of the content: an entry's place in the chain. */
const placeFields = new Set(['hash', 'doctype', 'creation', 'modified', 'sequence', 'previous_hash'])

/**
 * Hash of what an entry says, without its place in the chain. Unset values are skipped, so that adding a field to the doctype
 * later doesn't change the hashes of older entries.
 */
function contentHash(doc: Record<string, unknown>): string {
  const present = Object.entries(doc).filter(
    ([name, value]) => !placeFields.has(name) && value !== null && value !== undefined,
  )
  return sha256(canonicalJson(Object.fromEntries(present)))
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
