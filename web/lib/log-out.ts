import { toApiError } from './api-error.ts'
import { call } from './api.ts'
import { described } from './catalogue.ts'
import { forgetVisits } from './recent.ts'
import { showToast } from './toasts.ts'

/** Ends the session and loads the login page (or another one) anew: nothing of this person stays in memory. */
export async function logOut(to = '/web/login'): Promise<void> {
  try {
    await call('logout')
  } catch (error) {
    const failure = toApiError(error)
    // Without an answer the session may live on: say so instead of pretending.
    if (failure.httpStatus === 0 || failure.httpStatus >= 500) {
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
  location.assign(to)
}

/** Drafts and the place in a tour are of the person that leaves. */
function forgetTab(): void {
  try {
    sessionStorage.clear()
  } catch {
    // Storage is blocked: nothing was kept.
  }
}
