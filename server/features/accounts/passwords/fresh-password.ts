import { hasFreshPassword } from '#server/contracts/session.ts'
import type { Session } from '#server/contracts/session.ts'
import { AppError } from '#shared/errors.ts'
import { say } from '#shared/sentence.ts'

/** Throws 403 (field `password`) unless the password was confirmed in this browser session within the last ten minutes. */
export function needFreshPassword(session: Session): void {
  if (session.kind !== 'cookie') {
    throw new AppError('forbidden', say`Only a logged-in browser can do this.`, { excType: 'PermissionError' })
  }
  if (hasFreshPassword(session)) return
  throw new AppError('forbidden', say`Confirm your password to go on.`, {
    field: 'password',
    excType: 'PermissionError',
    nextAction: say`Enter your password again, then repeat this.`,
  })
}
