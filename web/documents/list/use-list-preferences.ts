import { useSearchParams } from '#web/lib/routing/router.tsx'
import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { isObject } from '#shared/parse-json.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { usePreferences } from '#web/lib/browser/use-preference.ts'
import { t } from './messages.ts'
import {
  listPreferences,
  ownOf,
  rememberedFields,
  rememberedFieldsOf,
  strings,
  type ListPreferences,
} from './list-preferences.ts'

/** The stored preferences with part of one list's replaced (undefined resets it to the default). */
export function withListPreference(
  preferences: unknown,
  doctype: string,
  part: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const all = isObject(preferences) ? preferences : {}
  const lists = isObject(all['lists']) ? all['lists'] : {}
  return { ...all, lists: { ...lists, [doctype]: { ...ownOf(preferences, doctype), ...part } } }
}

/**
 * What to store of a filter change, by preference: the new pair, 'none' if the user removed the filter, or undefined for the
 * default. Several filters on one field are not stored.
 */
export function changedFilterPreferences(
  type: Doctype,
  before: readonly FilterTriple[],
  after: readonly FilterTriple[],
): Record<string, unknown> {
  const pairs = (filters: readonly FilterTriple[], field: string) =>
    filters.filter(([name]) => name === field).map(([, operator, value]) => [operator, value] as const)
  const change: Record<string, unknown> = {}
  for (const field of rememberedFieldsOf(type)) {
    const now = pairs(after, field)
    if (JSON.stringify(pairs(before, field)) === JSON.stringify(now) || now.length > 1) continue
    const isUsual = JSON.stringify(now) === JSON.stringify(pairs(type.list?.filters ?? [], field))
    change[rememberedFields[field] ?? field] = isUsual ? undefined : (now[0] ?? 'none')
  }
  return change
}

/** Columns in the URL (`columns`, a JSON array; docs/contracts/screens.md, section 7), which override the user's. */
function columnsFromUrl(text: string | null): readonly string[] | null {
  if (!text) return null
  try {
    return strings(JSON.parse(text))
  } catch {
    // Edited by hand: use the user's own columns.
    return null
  }
}

/** A user's stored list preferences and their setters; `ready` once they are loaded. */
export function useListPreferences(type: Doctype): {
  ready: boolean
  chosen: readonly string[] | null
  kept: ListPreferences['kept']
  choose: (columns: readonly string[] | null) => void
  keep: (before: readonly FilterTriple[], after: readonly FilterTriple[]) => void
} {
  const [params, setParams] = useSearchParams()
  const preferences = usePreferences()
  const own = listPreferences(preferences.values, type)

  const write = (part: Readonly<Record<string, unknown>>, failed: string) => {
    preferences.write(withListPreference(preferences.values, type.name, part)).catch((error: unknown) => {
      showToast({ title: failed, description: toApiError(error).message, variant: 'danger' })
    })
  }

  return {
    ready: preferences.settled,
    chosen: columnsFromUrl(params.get('columns')) ?? own.columns ?? null,
    kept: own.kept,
    choose(columns) {
      write({ columns: columns ?? undefined }, t('list.columns_failed'))
      setParams(
        (current) => {
          const next = new URLSearchParams(current)
          next.delete('columns')
          return next
        },
        { replace: true },
      )
    },
    keep(before, after) {
      const change = changedFilterPreferences(type, before, after)
      if (Object.keys(change).length > 0) write(change, t('filters.not_kept'))
    },
  }
}
