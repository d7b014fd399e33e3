import { containsText } from '#shared/rules/fold-text.ts'
import type { Doctype, FilterOperator } from '#shared/doctype.ts'
import type { ListOptions } from '#web/lib/api/api.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'
import { useDynamicList } from '#web/lib/api/frappe.tsx'
import { linkTarget, useLinkTitles } from '../query/link-titles.ts'
import { valueLabel } from '../query/list-query.ts'
import { timeChoices } from '../query/list-state.ts'
import { t as valueText } from '../messages.ts'

/** Maximum values listed; the others are found by search. */
const choicesLimit = 200

/** A selectable value with its label. */
export interface Choice {
  readonly value: string
  readonly label: string
  /** Number of rows with this value. */
  readonly count?: number
}

/** Source of a field's values: a closed list, titles of linked documents, values in the rows, or free text. */
export function choiceKind(type: Doctype, field: string): 'closed' | 'linked' | 'held' | 'free' {
  const known = type.fields[field]
  if (linkTarget(type, field)) return 'linked'
  if (known?.fieldtype === 'Datetime') return 'closed'
  if (known?.fieldtype === 'Check' || (known?.fieldtype === 'Select' && Array.isArray(known.options))) return 'closed'
  // Titles identify single rows; listing them would repeat the list.
  if (!known || field === type.title_field) return 'free'
  return ['Data', 'Int', 'Float'].includes(known.fieldtype) ? 'held' : 'free'
}

/** Selectable values of a field. */
export interface Choices {
  readonly kind: ReturnType<typeof choiceKind>
  /** Known values that match the search text; null during the initial load. */
  readonly choices: readonly Choice[] | null
  /** The field has more values than can be listed, so they are searched. */
  readonly many: boolean
  /** More values match than are listed. */
  readonly more: boolean
  /** A search request is running. */
  readonly searching: boolean
  /** Label of a value, whether listed or not. */
  readonly labelOf: (value: string) => string
}

/** Request for the values of a field; null if none is needed. */
interface Source {
  readonly type: Doctype
  readonly options: ListOptions
  /** A row has the name and title of a document, or a value and how many rows have it. */
  readonly toChoice: (row: Readonly<Record<string, unknown>>) => Choice | null
}

/** Escapes LIKE wildcards, so that `50%` or `a_b` match literally. */
const literally = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

function sourceOf(type: Doctype, field: string, text: string): Source | null {
  const kind = choiceKind(type, field)
  const page = (searched: string) => ({
    limit: choicesLimit + 1,
    ...(text !== '' && { filters: [[searched, 'like', `%${literally(text)}%`] as const] }),
  })
  const target = linkTarget(type, field)
  if (target) {
    const title = target.title_field ?? 'name'
    return {
      type: target,
      options: { fields: ['name', title], order_by: `${title} asc`, ...page(title) },
      toChoice: (row) => ({ value: String(row['name']), label: String(row[title] ?? row['name']) }),
    }
  }
  if (kind !== 'held') return null
  return {
    type,
    options: { fields: [field, 'count(name) as n'], group_by: field, order_by: 'n desc', ...page(field) },
    toChoice: (row) => {
      if (row[field] === null || row[field] === '') return null
      const value = String(row[field])
      return { value, label: valueLabel(type, field, value), count: Number(row['n'] ?? 0) }
    },
  }
}

/** One page of values, and whether there are more; null while loading. */
function usePage(source: Source | null): { choices: readonly Choice[]; more: boolean } | null {
  // Previous rows belong to a different field or search text.
  const { data, error } = useDynamicList(source?.type ?? null, source?.options, {
    keepPrevious: false,
  })
  if (source === null) return null
  const rows = data ?? (error ? [] : null)
  return (
    rows && {
      choices: rows.slice(0, choicesLimit).flatMap((row) => source.toChoice(row) ?? []),
      more: rows.length > choicesLimit,
    }
  )
}

function closedChoices(type: Doctype, field: string, operator: FilterOperator): readonly Choice[] {
  const known = type.fields[field]
  if (known?.fieldtype === 'Datetime')
    return timeChoices[operator === 'is' ? 'is' : 'timespan'].map((value) => ({
      value,
      label: valueLabel(type, field, value),
    }))
  if (known?.fieldtype === 'Check') {
    return [
      { value: '1', label: valueText('value.yes') },
      { value: '0', label: valueText('value.no') },
    ]
  }
  const options = known?.fieldtype === 'Select' ? known.options : []
  return options.map((value) => ({ value, label: valueLabel(type, field, value) }))
}

/**
 * Values of a field, for an operator, whose labels contain `text`. If there are more than can be listed, the server searches, debounced.
 * `chosen` values keep their labels, listed or not.
 */
export function useChoices(
  type: Doctype,
  field: string,
  text: string,
  chosen: readonly string[],
  operator: FilterOperator,
): Choices {
  const kind = choiceKind(type, field)
  const wanted = text.trim()
  const settled = useDebounced(wanted)
  const all = usePage(sourceOf(type, field, ''))
  const many = all?.more ?? false
  const found = usePage(many && wanted !== '' && settled !== '' ? sourceOf(type, field, settled) : null)
  const titles = useLinkTitles(many ? type : null, field, chosen)

  const isLoaded = kind === 'linked' || kind === 'held'
  const listed = isLoaded ? (all?.choices ?? null) : closedChoices(type, field, operator)
  // Known matches are shown immediately; search results are added.
  const known = new Map([...(listed ?? []), ...(found?.choices ?? [])].map((choice) => [choice.value, choice]))
  const fits = ({ label }: Choice) => containsText(label, wanted)
  return {
    kind,
    choices: listed && [...known.values()].filter(fits),
    many,
    more: many && (wanted === '' || (found?.more ?? false)),
    searching: many && wanted !== '' && (settled !== wanted || found === null),
    labelOf: (value) =>
      known.get(value)?.label ?? titles[value] ?? (kind === 'linked' && many ? '…' : valueLabel(type, field, value)),
  }
}
