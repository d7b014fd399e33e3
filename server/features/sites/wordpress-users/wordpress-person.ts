import { randomBytes } from 'node:crypto'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { WordPressPerson, WordPressRole } from '#server/engines/engine.ts'
import { formatTimestamp, type Clock } from '#server/jobs/clock.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { recordWordPressUser } from './user-table.ts'

/**
 * Role of everybody who can open the admin of a site: that takes the right to write the site, which includes updates and
 * plugins, and those take an administrator (docs/decisions/0044).
 */
export const writerRole: WordPressRole = 'administrator'

/** Time until the rights of a person who opened the admin are checked again, in seconds: longer than their link is valid. */
const recheckSeconds = 60

/** The caller as a WordPress user of the site; recorded as such in the transaction. */
export async function wordpressPerson(tx: Tx, site: Site, session: Session, clock: Clock): Promise<WordPressPerson> {
  const { user, fullName } = session
  // A user created by a link that raced with the end of these rights is found by the check.
  const checkAt = formatTimestamp(clock.now() + recheckSeconds * 1000)
  const row = { key: randomBytes(12).toString('hex'), person: user }
  const key = await recordWordPressUser(tx, site.name, row, checkAt)
  const login = loginName(fullName, user)
  return { key, role: writerRole, login, name: fullName, email: user, reserved: site.admin_user ?? '' }
}

/**
 * A WordPress login name, `[a-z][a-z0-9_-]{0,27}`, from a person's name or else the first part of their email address. It is
 * shorter than WordPress and other engines allow, so that a number can follow.
 */
export function loginName(fullName: string, email: string): string {
  for (const text of [fullName, email.split(/[@+]/, 1)[0] ?? '']) {
    const name = text
      .slice(0, 200)
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/\p{Mn}/gu, '')
      .replace(/^[^a-z]+/, '')
      .slice(0, 28)
      .split(/[^a-z0-9]/)
      .filter((part) => part !== '')
      .join('-')
    if (name !== '') return name
  }
  return 'user'
}
