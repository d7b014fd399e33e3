import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import { locale } from '#web/lib/i18n/locale.ts'

/** The roles of WordPress itself, the most powerful first. */
const known = ['administrator', 'editor', 'author', 'contributor', 'subscriber']

/** Roles with their names: those of WordPress first, then those of plugins by name. Stored facts keep no order. */
export function sortedRoles(roles: WordPressFacts['roles']): [key: string, name: string][] {
  const position = (key: string) => (known.includes(key) ? known.indexOf(key) : known.length)
  return Object.entries(roles).toSorted(
    ([a, nameOfA], [b, nameOfB]) => position(a) - position(b) || nameOfA.localeCompare(nameOfB, locale),
  )
}
