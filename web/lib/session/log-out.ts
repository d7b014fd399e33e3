import { toApiError } from '../api/api-error.ts'
import { call } from '../api/api.ts'
import { described } from '../i18n/catalogue.ts'
import { leaveThen } from '../routing/navigation-blockers.ts'
import { forgetVisits } from '../routing/recent.ts'
import { beginLogOut, forgetTab, tellOtherTabs } from '../api/session-end.ts'
import { showToast } from '../browser/toasts.ts'

/**
 * Ends the session and loads the login page (or another one) anew: nothing of this person stays in memory, in this tab and
 * the others. Where something is not saved the person is asked first.
 */
export function logOut(to = '/web/login'): void {
  leaveThen(() => void endSession(to))
}

async function endSession(to: string): Promise<void> {
  const takeBack = beginLogOut()
  // Before, so that they forget what was typed while they still know whose it is; afterwards, so that they go, too.
  tellOtherTabs()
  try {
    await call('logout')
  } catch (error) {
    const failure = toApiError(error)
    // Without an answer the session may live on: say so instead of pretending.
    if (failure.httpStatus === 0 || failure.httpStatus >= 500) {
      takeBack()
      showToast({
        title: described('There was an error while logging out'),
        description: failure.message,
        variant: 'danger',
      })
      return
    }
  }
  forgetVisits()
  forgetTab()
  tellOtherTabs()
  location.assign(to)
}
