import type { Doctype } from '#shared/doctype.ts'
import type { ListOptions } from '#web/lib/api/api.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { linkTarget, useLinkTitles } from '../list/link-titles.ts'
import { valueLabel } from '../list/list-query.ts'
import { t } from '../messages.ts'

/** Most values listed at once; the others are found by their names. */
const choicesLimit = 200

/** A value that can be chosen, with its words. */
export interface Choice {
  readonly value: string
  readonly label: string
  /** How many rows have it. */
  readonly count?: number
}

/** How a field's values are known: a closed list, titles of linked documents, what the rows hold, or free text only. */
export function choiceKind(type: Doctype, field: string): 'closed' | 'linked' | 'held' | 'free' {
  const known = type.fields[field]
  if (linkTarget(type, field)) return 'linked'
  if (known?.fieldtype === 'Check' || (known?.fieldtype === 'Select' && Array.isArray(known.options))) return 'closed'
  // Titles name single rows: a list of all of them is the list itself.
  if (!known || field === type.title_field) return 'free'
  return ['Data', 'Int', 'Float'].includes(known.fieldtype) ? 'held' : 'free'
}

/** Values of a field to choose from. */
export interface Choices {
  readonly kind: ReturnType<typeof choiceKind>
  /** Those that fit the text, as far as they are known; null while the first ones load. */
  readonly choices: readonly Choice[] | null
  /** The field has more values than are listed at once: these are found by a text. */
  readonly many: boolean
  /** More values fit the text than are listed. */
  readonly more: boolean
  /** The server is being asked for values that fit. */
  readonly searching: boolean
  /** What people read for a value, whether listed or not. */
  readonly labelOf: (value: string) => string
}

/** Where the values of a field stand, and how they are read; null where no request tells them. */
interface Source {
  readonly doctype: string
  readonly options: ListOptions
  readonly toChoice: (row: Record<string, unknown>) => Choice | null
}

/** Somebody who looks for `50%` or `a_b` means these signs. */
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
      doctype: target.name,
      options: { fields: ['name', title], order_by: `${title} asc`, ...page(title) },
      toChoice: (row) => ({ value: String(row['name']), label: String(row[title] ?? row['name']) }),
    }
  }
  if (kind !== 'held') return null
  return {
    doctype: type.name,
    options: { fields: [field, 'count(name) as n'], group_by: field, order_by: 'n desc', ...page(field) },
    toChoice: (row) => {
      if (row[field] === null || row[field] === '') return null
      const value = String(row[field])
      return { value, label: valueLabel(type, field, value), count: Number(row['n']) }
    },
  }
}

/** One page of values, and whether that is not all; null while it is read. */
function usePage(source: Source | null): { choices: readonly Choice[]; more: boolean } | null {
  // Rows of another field or text are none of this one.
  const { data, error } = useList<Record<string, unknown>>(source?.doctype ?? null, source?.options, {
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

function closedChoices(type: Doctype, field: string): readonly Choice[] {
  const known = type.fields[field]
  if (known?.fieldtype === 'Check') {
    return [
      { value: '1', label: t('value.yes') },
      { value: '0', label: t('value.no') },
    ]
  }
  const options = Array.isArray(known?.options) ? (known.options as readonly string[]) : []
  return options.map((value) => ({ value, label: valueLabel(type, field, value) }))
}

/**
 * Values of a field whose names hold `text`. Where a field has more than are listed at once the server looks for them,
 * after typing has rested; `chosen` ones keep their names, listed or not.
 */
export function useChoices(type: Doctype, field: string, text: string, chosen: readonly string[]): Choices {
  const kind = choiceKind(type, field)
  const wanted = text.trim()
  const settled = useDebounced(wanted)
  const all = usePage(sourceOf(type, field, ''))
  const many = all?.more ?? false
  const found = usePage(many && wanted !== '' && settled !== '' ? sourceOf(type, field, settled) : null)
  const titles = useLinkTitles(many ? type : null, field, chosen)

  const asked = kind === 'linked' || kind === 'held'
  const listed = asked ? (all?.choices ?? null) : closedChoices(type, field)
  // What is here already is shown at once, what the server finds joins it.
  const known = new Map([...(listed ?? []), ...(found?.choices ?? [])].map((choice) => [choice.value, choice]))
  const fits = ({ label }: Choice) => label.toLowerCase().includes(wanted.toLowerCase())
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
