import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from './api-error.ts'
import { addNavigationBlocker } from '../routing/navigation-blockers.ts'
import { reportReconnection, reportDenial } from './session-invalidation.ts'
import { beginLogOut, notifyOtherTabs, watchSession } from './session-end.ts'

const signIn = (user: string) => {
  document.cookie = `user_id=${encodeURIComponent(user)}`
}
const reportForbidden = () => reportDenial(new ApiError('Not for guests', { httpStatus: 403 }))

const reload = vi.fn<() => void>()
const onInvalidated = vi.fn<() => void>()
let stop: () => void
beforeEach(() => {
  reload.mockClear()
  onInvalidated.mockClear()
  vi.stubGlobal('location', { ...window.location, reload })
  signIn('ada@acme.example')
  sessionStorage.setItem('draft:ada@acme.example site', '{}')
  history.replaceState(null, '')
  stop = watchSession('ada@acme.example', onInvalidated)
})
afterEach(() => {
  stop()
  sessionStorage.clear()
  vi.unstubAllGlobals()
})

test('a denied request during a valid session checks once for a changed role', () => {
  reportForbidden()
  reportForbidden()
  expect(reload).not.toHaveBeenCalled()
  expect(onInvalidated).toHaveBeenCalledTimes(1)
})

test('each reconnection checks for a changed role, because the server disconnects clients whose permissions change', () => {
  reportForbidden()
  reportReconnection()
  reportReconnection()
  expect(reload).not.toHaveBeenCalled()
  expect(onInvalidated).toHaveBeenCalledTimes(3)
})

test.each([
  ['a refused call', reportForbidden],
  ['a connection that is back', reportReconnection],
  ['a look at the tab', () => document.dispatchEvent(new Event('visibilitychange'))],
  ['the window', () => window.dispatchEvent(new Event('focus'))],
  ['a page that comes back', () => window.dispatchEvent(new Event('pageshow'))],
])('the end of the session is detected by %s, once, and input is kept', (_what, happen) => {
  signIn('Guest')
  happen()
  happen()
  expect(reload).toHaveBeenCalledTimes(1)
  expect(onInvalidated).not.toHaveBeenCalled()
  expect(history.state).toEqual({ usr: { reason: 'session_ended' } })
  expect(sessionStorage.length).toBe(1)
})

test('another user’s session loads a new page, which no blocker can prevent', () => {
  const removeGuard = addNavigationBlocker({ dropped: () => undefined })
  signIn('bob@acme.example')
  reportForbidden()
  expect(reload).toHaveBeenCalledTimes(1)
  expect(history.state).toBeNull()
  const unload = new Event('beforeunload', { cancelable: true })
  window.dispatchEvent(unload)
  expect(unload.defaultPrevented).toBe(false)
  removeGuard()
})

test('logging out in another tab ends this session, too, and discards its drafts', async () => {
  signIn('Guest')
  notifyOtherTabs()
  await expect.poll(() => reload).toHaveBeenCalledTimes(1)
  expect(sessionStorage.length).toBe(0)
})

test('logging out here emits no event, unless it failed', () => {
  const takeBack = beginLogOut()
  signIn('Guest')
  reportForbidden()
  expect(reload).not.toHaveBeenCalled()
  takeBack()
  reportForbidden()
  expect(reload).toHaveBeenCalledTimes(1)
})
