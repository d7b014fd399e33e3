import { assertFreshPassword, type Session } from '#server/contracts/session.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** Throws 403 (field `password`) unless the password was confirmed in this browser session within the last ten minutes. */
export function needFreshPassword(session: Session): void {
  if (session.kind !== 'cookie') {
    throw new AppError('forbidden', msg`Only a logged-in browser can do this.`, { excType: 'PermissionError' })
  }
  assertFreshPassword(session)
}
