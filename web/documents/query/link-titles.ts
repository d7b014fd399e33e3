import type { Doctype } from '#shared/doctype.ts'
import { useDynamicList } from '#web/lib/api/frappe.tsx'
import { findDoctype } from './list-request.ts'

/** Target doctype of a link field; null for other fields and unknown doctypes. */
export function linkTarget(type: Doctype, field: string): Doctype | null {
  const known = type.fields[field]
  return known?.fieldtype === 'Link' && typeof known.options === 'string' ? findDoctype(known.options) : null
}

/** Titles of the documents that a link field's values refer to, by ID; empty for a null type and other fields. */
export function useLinkTitles(type: Doctype | null, field: string, value: unknown): Record<string, string> {
  const target = type && linkTarget(type, field)
  const title = target?.title_field ?? 'name'
  const names: readonly unknown[] = Array.isArray(value) ? value : [value]
  const linked = useDynamicList(names.length > 0 ? target : null, {
    fields: ['name', title],
    filters: [['name', 'in', names]],
    limit: names.length,
  })
  return Object.fromEntries((linked.data ?? []).map((row) => [row.name, String(row[title] ?? row.name)]))
}
