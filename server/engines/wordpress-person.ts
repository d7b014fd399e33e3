/** People who are signed in to WordPress. */
import { isObject } from '#shared/parse-json.ts'

/** Roles that a person can have in WordPress, highest first. */
export type WordPressRole = 'administrator' | 'editor'

/** What the WordPress user of a person may do. */
export interface WordPressGrant {
  /** Identifies the person on this site alone; the site stores it with the user. 24 hexadecimal digits. */
  key: string
  role: WordPressRole
}

/** A person who is signed in to WordPress as their own user. */
export interface WordPressPerson extends WordPressGrant {
  /** Wanted login name, `[a-z][a-z0-9_-]{0,27}`; a taken one gets a number. Used when the user is created, as are the next two. */
  login: string
  /** Display name. */
  name: string
  email: string
  /** Login name that no person gets, in any case: that of the site's first administrator. */
  reserved: string
}

/** Who may still sign in to WordPress. Users with keys that are in none of the lists are removed, too. */
export interface WordPressUserLists {
  readonly keep: readonly WordPressGrant[]
  /** Keys of people who may not for a while: their users stay without role and sessions, as the authors of what they wrote. */
  readonly pause: readonly string[]
  /** Keys of people whose users are removed. */
  readonly remove: readonly string[]
  /** Login name of the user that gets what removed users wrote. */
  readonly reassignTo: string
}

/** What became of the users of people. */
export interface SyncedUsers {
  /** How many users were removed: also those of keys that nobody asked for. */
  readonly removed: number
  /** Of the keys in `pause` and `remove`, those that give nobody access any more. */
  readonly gone: readonly string[]
}

/** Lists for a site that is nobody's yet: a copy, or an import. */
export const nobodyStays = (reassignTo: string): WordPressUserLists => ({ keep: [], pause: [], remove: [], reassignTo })

/** What a site says about its users; null if it is none of that. Keys that nobody asked for say nothing. */
export function parseSyncedUsers(value: unknown, { pause, remove }: WordPressUserLists): SyncedUsers | null {
  if (!isObject(value) || typeof value['removed'] !== 'number' || !Array.isArray(value['gone'])) return null
  const said: readonly unknown[] = value['gone']
  return { removed: value['removed'], gone: [...pause, ...remove].filter((key) => said.includes(key)) }
}
