import type { Doctype } from '#shared/doctype.ts'
import { useList } from '#web/lib/frappe.tsx'
import { findDoctype, valueLabel } from './list-query.ts'
import type { Choice } from './multi-select.tsx'
import { t } from './messages.ts'

/** Most values offered; a person narrows by other operators when there are more. */
const choicesLimit = 200

/** How a field's values are known: a closed list, titles of linked documents, what the rows hold, or free text only. */
export function choiceKind(type: Doctype, field: string): 'closed' | 'linked' | 'held' | 'free' {
  const known = type.fields[field]
  if (known?.fieldtype === 'Link' && typeof known.options === 'string' && findDoctype(known.options)) return 'linked'
  if (known?.fieldtype === 'Check' || (known?.fieldtype === 'Select' && Array.isArray(known.options))) return 'closed'
  // Titles name single rows: a list of all of them is the list itself.
  if (!known || field === type.title_field) return 'free'
  return ['Data', 'Int', 'Float'].includes(known.fieldtype) ? 'held' : 'free'
}

/** Values of a field to choose from; `choices` is null while they load. */
export function useChoices(
  type: Doctype,
  field: string,
): { kind: ReturnType<typeof choiceKind>; choices: readonly Choice[] | null } {
  const kind = choiceKind(type, field)
  const known = type.fields[field]
  const target = kind === 'linked' ? findDoctype(String(known?.options)) : null
  const title = target?.title_field ?? 'name'
  const linked = useList<Record<string, unknown>>(target?.name ?? null, {
    fields: ['name', title],
    order_by: `${title} asc`,
    limit: choicesLimit,
  })
  const held = useList<Record<string, unknown>>(
    kind === 'held' ? type.name : null,
    { fields: [field, 'count(name) as n'], group_by: field, order_by: 'n desc', limit: choicesLimit },
    { keepPrevious: false },
  )
  if (kind === 'linked') {
    const rows = linked.data ?? (linked.error ? [] : null)
    return {
      kind,
      choices: rows?.map((row) => ({ value: String(row['name']), label: String(row[title] ?? row['name']) })) ?? null,
    }
  }
  if (kind === 'held') {
    const rows = held.data ?? (held.error ? [] : null)
    const set = rows?.filter((row) => row[field] !== null && row[field] !== '') ?? null
    const choices = set?.map((row) => {
      const value = String(row[field])
      return { value, label: valueLabel(type, field, value), count: Number(row['n']) }
    })
    return { kind, choices: choices ?? null }
  }
  if (known?.fieldtype === 'Check')
    return {
      kind,
      choices: [
        { value: '1', label: t('value.yes') },
        { value: '0', label: t('value.no') },
      ],
    }
  const options = Array.isArray(known?.options) ? (known.options as readonly string[]) : []
  return { kind, choices: options.map((value) => ({ value, label: valueLabel(type, field, value) })) }
}
