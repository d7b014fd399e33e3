import { isObject } from '#shared/parse-json.ts'

/** A recently visited page. */
export interface Recent {
  kind: 'site' | 'server' | 'user'
  title: string
  /** Path below /web. */
  href: string
}

const prefix = 'easydash:recent:'
const kept = 6

const keyOf = (user: string, organization: string): string => `${prefix}${user}:${organization}`

function isRecent(value: unknown): value is Recent {
  if (!isObject(value)) return false
  const { kind, title, href } = value
  return (
    (kind === 'site' || kind === 'server' || kind === 'user') &&
    typeof title === 'string' &&
    typeof href === 'string' &&
    href.startsWith('/')
  )
}

/** Pages this user recently visited in this organization, newest first. Stored in the browser. */
export function recents(user: string, organization: string): readonly Recent[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(keyOf(user, organization)) ?? '[]')
    return Array.isArray(found) ? found.filter(isRecent).slice(0, kept) : []
  } catch {
    // Storage is blocked or holds data of another version: no recent pages.
    return []
  }
}

/** Adds a page to the front of the list. */
export function rememberVisit(user: string, organization: string, visit: Recent): void {
  const others = recents(user, organization).filter(({ href }) => href !== visit.href)
  try {
    localStorage.setItem(keyOf(user, organization), JSON.stringify([visit, ...others].slice(0, kept)))
  } catch {
    // Storage is blocked: search shows no recent pages.
  }
}

/** Clears the recent pages of all users of this browser at the end of the session, because they contain site names. */
export function clearVisits(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
  } catch {
    // Storage is blocked: nothing was kept.
  }
}
