import { isObject } from '#shared/parse-json.ts'
import { recentPrefix as prefix } from './recent-storage.ts'

/** A recently visited page. */
export interface Recent {
  kind: 'site' | 'server' | 'user'
  title: string
  /** Path below /web. */
  href: string
}

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

function stored(key: string): unknown[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    // Storage is blocked or holds data of another version: nothing is known.
    return []
  }
}

function store(key: string, list: readonly unknown[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(list))
  } catch {
    // Storage is blocked or full: search does without.
  }
}

/** Pages this user recently visited in this organization, newest first. Stored in the browser. */
export function recents(user: string, organization: string): readonly Recent[] {
  return stored(keyOf(user, organization)).filter(isRecent).slice(0, kept)
}

/** Adds a page to the front of the list. */
export function rememberVisit(user: string, organization: string, visit: Recent): void {
  const others = recents(user, organization).filter(({ href }) => href !== visit.href)
  store(keyOf(user, organization), [visit, ...others].slice(0, kept))
}

/** Uses that are remembered: habits change. */
const keptUses = 100
const usesKey = (user: string, organization: string): string => `${prefix}uses:${user}:${organization}`
const usesIn = (key: string): string[] => stored(key).filter((id) => typeof id === 'string')

/** Id of an action on a document, which is that of the search's option. */
export const actionUse = (action: string, name: string): string => `${action}-${name}`

/** How often this user did what in this organization lately, by the id of the search's option. Stored in the browser. */
export function uses(user: string, organization: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const id of usesIn(usesKey(user, organization))) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

/** Counts what somebody did. */
export function rememberUse(user: string, organization: string, id: string): void {
  const key = usesKey(user, organization)
  store(key, [id, ...usesIn(key)].slice(0, keptUses))
}
