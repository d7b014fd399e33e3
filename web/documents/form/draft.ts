import { userFromCookie } from '#web/lib/session/session.tsx'
import type { FormValues } from './form-state.ts'

/** Where a draft lies: each person's own, because a tab outlives a session. */
function placeOf(key: string): string {
  const user = userFromCookie()
  return `draft:${user === null ? '' : `${user} `}${key}`
}

/** Reads a kept draft: only the named fields, only texts and numbers. Null when there is none. */
export function readDraft(key: string, names: readonly string[]): FormValues | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(placeOf(key)) ?? 'null')
    if (typeof kept !== 'object' || kept === null) return null
    const entries = Object.entries(kept).filter(
      ([name, value]) => names.includes(name) && (typeof value === 'string' || typeof value === 'number'),
    )
    return entries.length > 0 ? Object.fromEntries(entries) : null
  } catch {
    // Storage switched off, or a draft of another version: the form starts empty, which is its normal state.
    return null
  }
}

/** Keeps a draft for this browser tab. Never called with secrets: forms leave Password fields out. */
export function keepDraft(key: string, values: FormValues): boolean {
  try {
    sessionStorage.setItem(placeOf(key), JSON.stringify(values))
    return true
  } catch {
    // Storage switched off or full: the form still works, only a reload would lose it; the caller does not claim otherwise.
    return false
  }
}

/** Forgets a draft (after saving, or on the person's wish). */
export function dropDraft(key: string): void {
  try {
    sessionStorage.removeItem(placeOf(key))
  } catch {
    // Storage switched off: nothing was kept.
  }
}
