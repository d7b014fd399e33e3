import { userFromCookie } from '#web/lib/session/session.tsx'
import type { FormValues } from './form-state.ts'

/** Storage key of a draft, per user because a tab can outlive a session. */
function storageKey(key: string): string {
  const user = userFromCookie()
  return `draft:${user === null ? '' : `${user} `}${key}`
}

/** Reads a stored draft: only the named fields, only strings and numbers. Null if there is none. */
export function readDraft(key: string, names: readonly string[]): FormValues | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey(key)) ?? 'null')
    if (typeof kept !== 'object' || kept === null) return null
    const entries = Object.entries(kept).filter(
      ([name, value]) => names.includes(name) && (typeof value === 'string' || typeof value === 'number'),
    )
    return entries.length > 0 ? Object.fromEntries(entries) : null
  } catch {
    // Storage is blocked, or the draft is from another version: start with an empty form.
    return null
  }
}

/** Stores a draft for this browser tab. Never called with secrets: forms exclude Password fields. */
export function saveDraft(key: string, values: FormValues): boolean {
  try {
    sessionStorage.setItem(storageKey(key), JSON.stringify(values))
    return true
  } catch {
    // Storage is blocked or full: the form still works but doesn't survive a reload, and the caller doesn't claim otherwise.
    return false
  }
}

/** Removes a draft after saving or discarding. */
export function deleteDraft(key: string): void {
  try {
    sessionStorage.removeItem(storageKey(key))
  } catch {
    // Storage is blocked, so nothing was kept.
  }
}
