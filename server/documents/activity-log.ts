import type { Doctype } from '#shared/doctype.ts'
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { databaseNow, emptyDoc, insertRow, newName } from './rows.ts'
import type { ActivityEntry, DocumentEvent, Session, Trx } from './types.ts'
import { canonicalJson } from './values.ts'

/** Chain of what happened outside organizations. */
const platformChain = ''

/** Masks secrets of before and after images; made from `redact` by the composition root. */
export type Mask = (value: unknown) => unknown

/**
 * Writes the entries of a transaction, just before it commits, each linked to its predecessor of the same
 * organization by a hash. The head row serves as lock, so that the chain never forks.
 */
export async function writeActivities(
  trx: Trx,
  type: Doctype,
  session: Session,
  entries: readonly ActivityEntry[],
  mask: Mask,
): Promise<DocumentEvent[]> {
  const events: DocumentEvent[] = []
  const ordered = entries.toSorted((a, b) =>
    (a.organization ?? '') < (b.organization ?? '') ? -1 : (a.organization ?? '') > (b.organization ?? '') ? 1 : 0,
  )
  for (const entry of ordered) {
    const chain = entry.organization ?? platformChain
    const head = await sql<{ hash: string }>`insert into easydash_activity_head (chain, hash) values (${chain}, '')
      on conflict (chain) do update set hash = easydash_activity_head.hash returning hash`.execute(trx)
    const now = await databaseNow(trx)
    const actor = entry.actor ?? session.user
    const doc = {
      ...emptyDoc(type),
      name: newName(),
      owner: actor,
      modified_by: actor,
      creation: now,
      modified: now,
      organization: entry.organization ?? null,
      actor,
      on_behalf_of: entry.on_behalf_of ?? null,
      action: entry.action,
      reference_doctype: entry.reference_doctype ?? null,
      reference_name: entry.reference_name ?? null,
      reference_title: entry.reference_title ?? null,
      before: entry.before ? mask(entry.before) : null,
      after: entry.after ? mask(entry.after) : null,
      result: entry.result ?? 'Done',
      took_ms: entry.took_ms ?? null,
      via: session.via,
      ip: session.ip,
      job: entry.job ?? null,
      previous_hash: head.rows[0]?.hash ?? '',
    }
    const hash = activityHash(doc)
    await insertRow(trx, type, { ...doc, hash }, {})
    await sql`update easydash_activity_head set hash = ${hash} where chain = ${chain}`.execute(trx)
    events.push({
      kind: 'insert',
      doctype: type.name,
      name: doc.name,
      organization: entry.organization ?? null,
      user: actor,
      modified: now,
    })
  }
  return events
}

/**
 * SHA-256 over everything an entry says, its predecessor's hash included. What is not set says nothing: a field added to
 * the description later leaves the hashes of older entries as they are.
 */
export function activityHash(doc: Record<string, unknown>): string {
  const { hash: _hash, doctype: _doctype, ...rest } = doc
  const said = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== undefined))
  return createHash('sha256').update(canonicalJson(said)).digest('hex')
}
