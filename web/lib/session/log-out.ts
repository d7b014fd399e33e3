import { toApiError } from '../api/api-error.ts'
import { call } from '../api/api.ts'
import { translateText } from '../i18n/catalog.ts'
import { confirmThenNavigate } from '../routing/navigation-blockers.ts'
import { clearVisits } from '../routing/recent-storage.ts'
import { beginLogOut, clearTabStorage, notifyOtherTabs } from '../api/session-end.ts'
import { showToast } from '../browser/toasts.ts'

/**
 * Ends the session and reloads into the login page (or `to`), so that no user data stays in memory, in this tab or others.
 * Asks for confirmation if there is unsaved work.
 */
export function logOut(to = '/web/login'): void {
  confirmThenNavigate(() => void endSession(to))
}

async function endSession(to: string): Promise<void> {
  const takeBack = beginLogOut()
  // Before the logout, so that other tabs clear typed input while they still know its user; and after it, so that they
  // reload.
  notifyOtherTabs()
  try {
    await call('logout')
  } catch (error) {
    const failure = toApiError(error)
    // Without a response the session may still be valid, so show an error.
    if (failure.httpStatus === 0 || failure.httpStatus >= 500) {
      takeBack()
      showToast({
        title: translateText('There was an error while logging out'),
        description: failure.message,
        variant: 'danger',
      })
      return
    }
  }
  clearVisits()
  clearTabStorage()
  notifyOtherTabs()
  location.assign(to)
}
