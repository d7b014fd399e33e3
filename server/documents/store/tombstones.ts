import { sql } from 'kysely'
import { tenantField, type AnyDoc, type Doctype, type Rule } from '#shared/doctype.ts'
import { tableRef } from './schema.ts'
import type { Sweep } from '#server/contracts/schedule.ts'
import type { Db, Trx } from '#server/contracts/transaction.ts'

/*
 * Tombstones of deleted documents: only the fields that read rules evaluate. They keep activity entries about a document
 * visible to the users who could read it when it was deleted, and to nobody else. They contain none of its content.
 */

/** Creates the table of deleted documents. Runs in the migration. */
export async function tombstoneTables(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_ended_document (doctype text not null, name text not null,
    doc jsonb not null, shares jsonb not null, primary key (doctype, name))`.execute(trx)
}

/** Fields of the document itself that a rule evaluates. */
function fieldsOf(rule: Rule): string[] {
  if (Array.isArray(rule)) return [String(rule[0])]
  if ('any' in rule) return rule.any.flatMap(fieldsOf)
  if ('all' in rule) return rule.all.flatMap(fieldsOf)
  if ('link' in rule) return [rule.link]
  if ('attached_to' in rule) return ['attached_to_doctype', 'attached_to_name']
  return []
}

/** Fields evaluated by read rules that cover only some documents of the doctype; empty if no rule evaluates any. */
function fieldsOfReading(type: Doctype): string[] {
  const rules = Object.values(type.permissions).flatMap(({ read }) => (typeof read === 'object' ? [read] : []))
  if (rules.length === 0) return []
  const own = organizationField(type)
  return [...new Set(['name', 'owner', ...(own === null ? [] : [own]), ...rules.flatMap(fieldsOf)])]
}

/** The field that holds the document's organization. */
function organizationField(type: Doctype): string | null {
  if (type.tenant.kind === 'attachment') return type.tenant.organization
  return tenantField(type)
}

/** Stores the fields that read rules evaluate. Call it before the document and its shares are deleted. */
export async function recordTombstone(trx: Trx, type: Doctype, doc: AnyDoc): Promise<void> {
  const fields = fieldsOfReading(type)
  if (type.track_activity === false || fields.length === 0) return
  const kept = Object.fromEntries(fields.map((name) => [name, doc[name] ?? null]))
  await sql`insert into easydash_ended_document (doctype, name, doc, shares)
    select ${type.name}, ${doc.name}, ${JSON.stringify(kept)}::jsonb, jsonb_build_object(
      'read', coalesce(jsonb_agg(s."user") filter (where s.read = 1), '[]'),
      'write', coalesce(jsonb_agg(s."user") filter (where s.write = 1), '[]'),
      'share', coalesce(jsonb_agg(s."user") filter (where s.share = 1), '[]'))
    from ${tableRef('DocShare')} s where s.share_doctype = ${type.name} and s.share_name = ${doc.name}
    on conflict (doctype, name) do update set doc = excluded.doc, shares = excluded.shares`.execute(trx)
}

/** Deletes tombstones once a day. */
export function tombstoneSweep(db: Db, types: readonly Doctype[]): Sweep {
  return { name: 'documents.ended', everySeconds: 86_400, run: () => sweepTombstones(db, types) }
}

/**
 * Deletes tombstones that no longer affect who can read the log: documents without activity entries, and those of deleted
 * organizations, where nobody has a role. Returns the number of deleted tombstones.
 */
export async function sweepTombstones(db: Db, types: readonly Doctype[]): Promise<number> {
  return db.transaction().execute(async (trx) => {
    // Scans all tombstones; nobody waits for the result.
    await sql`set local statement_timeout = 0`.execute(trx)
    let swept = 0
    for (const type of types) {
      const field = organizationField(type)
      const organization = field === null ? sql`null` : sql`e.doc ->> ${field}::text`
      const { numAffectedRows } = await sql`delete from easydash_ended_document e where e.doctype = ${type.name} and (
        not exists (select 1 from ${tableRef('Activity')} a
          where a.reference_doctype = e.doctype and a.reference_name = e.name)
        or (${organization} is not null
          and not exists (select 1 from ${tableRef('Organization')} o where o.name = ${organization})))`.execute(trx)
      swept += Number(numAffectedRows ?? 0)
    }
    return swept
  })
}

/** Updates a user's changed email address, so that they keep their read access. */
export async function renameUserInTombstones(trx: Db, from: string, to: string): Promise<void> {
  await sql`update easydash_ended_document set
      doc = (select jsonb_object_agg(key, case when value = to_jsonb(${from}::text) then to_jsonb(${to}::text) else value end)
        from jsonb_each(doc)),
      shares = (select jsonb_object_agg(bit, (select coalesce(jsonb_agg(case when u = ${from} then ${to} else u end), '[]')
        from jsonb_array_elements_text(users) u)) from jsonb_each(shares) x (bit, users))
    where jsonb_path_exists(doc, '$.* ? (@ == $from)', jsonb_build_object('from', ${from}::text))
      or jsonb_path_exists(shares, '$.*[*] ? (@ == $from)', jsonb_build_object('from', ${from}::text))`.execute(trx)
}
