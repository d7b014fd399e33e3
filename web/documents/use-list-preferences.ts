import { useSearchParams } from 'react-router'
import type { Doctype } from '#shared/doctype.ts'
import type { UserMeta } from '#shared/doctypes/user-meta.ts'
import { toApiError } from '#web/lib/api-error.ts'
import { updateDoc } from '#web/lib/api.ts'
import { useDoc } from '#web/lib/frappe.tsx'
import { useSession } from '#web/lib/session.tsx'
import { showToast } from '#web/lib/toasts.ts'
import { t } from './messages.ts'

interface ListPreferences {
  columns?: readonly string[]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function strings(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : null
}

/** Preferences of one list out of a user's stored ones; anything malformed counts as not chosen. */
export function listPreferences(preferences: unknown, doctype: string): ListPreferences {
  const lists = isRecord(preferences) ? preferences['lists'] : null
  const own = isRecord(lists) ? lists[doctype] : null
  const columns = isRecord(own) ? strings(own['columns']) : null
  return columns ? { columns } : {}
}

/** The stored preferences with one list's columns replaced (null: the list's own columns again). */
export function withColumns(
  preferences: unknown,
  doctype: string,
  columns: readonly string[] | null,
): Record<string, unknown> {
  const all = isRecord(preferences) ? preferences : {}
  const lists = isRecord(all['lists']) ? all['lists'] : {}
  const own = isRecord(lists[doctype]) ? lists[doctype] : {}
  return { ...all, lists: { ...lists, [doctype]: { ...own, columns: columns ?? undefined } } }
}

/** Columns named in the address (`columns`, a JSON list; specification section 7): a shared link wins. */
function columnsFromUrl(text: string | null): readonly string[] | null {
  if (!text) return null
  try {
    return strings(JSON.parse(text))
  } catch {
    // A hand-edited address: the person's own columns are shown.
    return null
  }
}

/** The columns a person sees in a list, kept with the account (specification section 9), and how to change them. */
export function useListColumns(type: Doctype): {
  chosen: readonly string[] | null
  choose: (columns: readonly string[] | null) => void
} {
  const { user } = useSession()
  const [params, setParams] = useSearchParams()
  const meta = useDoc<UserMeta>('User Meta', user)
  const chosen =
    columnsFromUrl(params.get('columns')) ?? listPreferences(meta.data?.preferences, type.name).columns ?? null

  const choose = (columns: readonly string[] | null) => {
    const before = meta.data
    if (!user || !before) return
    const preferences = withColumns(before.preferences, type.name, columns)
    void meta.reload({ ...before, preferences })
    updateDoc<UserMeta>('User Meta', user, { preferences }).catch((error: unknown) => {
      void meta.reload(before)
      showToast({ title: t('list.columns_failed'), description: toApiError(error).message, variant: 'danger' })
    })
    setParams(
      (current) => {
        const next = new URLSearchParams(current)
        next.delete('columns')
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  }
  return { chosen, choose }
}
