import { act, render, screen } from '@testing-library/react'
import { StrictMode, useEffect } from 'react'
import { useLocation, useNavigate, type NavigateFunction } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addNavigationBlocker, leaveConfirmation, releaseNavigationBlockers } from './navigation-blockers.ts'
import { NavigationBlocker } from './router-blocker.tsx'
import { AppRouter, createAppRouter } from './router.tsx'

let router: ReturnType<typeof createAppRouter>
let go: NavigateFunction
let dropped: string[]

/** Shows the app's current location. */
function CurrentPath() {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  useEffect(() => {
    go = navigate
  }, [navigate])
  return <output>{pathname}</output>
}
const here = () => screen.getByRole('status').textContent

beforeEach(() => {
  history.replaceState(null, '', '/web/site')
  router = createAppRouter('/web')
  dropped = []
  render(
    <StrictMode>
      <AppRouter router={router}>
        <NavigationBlocker />
        <CurrentPath />
      </AppRouter>
    </StrictMode>,
  )
})
afterEach(() => {
  releaseNavigationBlockers()
  router.dispose()
})

/** Unsaved work; the returned function says that it is saved. */
function unsaved(name = 'form'): () => void {
  let saved = (): void => undefined
  act(() => {
    saved = addNavigationBlocker({ dropped: () => void dropped.push(name) })
  })
  return saved
}

test('a page with unsaved changes is left after confirmation, and the changes are discarded', async () => {
  unsaved()
  await act(async () => go('/server'))
  expect(here()).toBe('/site')
  await act(async () => leaveConfirmation.current()?.leave())
  expect(here()).toBe('/server')
  expect(dropped).toEqual(['form'])
})

test('navigating right after the first change asks for confirmation, too', async () => {
  await act(async () => {
    addNavigationBlocker({ dropped: () => undefined })
    await go('/server')
  })
  expect(here()).toBe('/site')
})

test('after staying, the user can leave later', async () => {
  const saved = unsaved()
  await act(async () => go('/server'))
  await act(async () => leaveConfirmation.current()?.stay())
  expect([here(), leaveConfirmation.current()]).toEqual(['/site', null])
  act(saved)
  await act(async () => go('/user'))
  expect(here()).toBe('/user')
})

test('a save while the dialog is open leaves the page', async () => {
  const saved = unsaved()
  await act(async () => go('/server'))
  expect(leaveConfirmation.current()).not.toBeNull()
  await act(async () => saved())
  expect([here(), leaveConfirmation.current(), dropped]).toEqual(['/server', null, []])
})

test('a navigation at the moment of saving is not lost', async () => {
  const saved = unsaved()
  await act(async () => {
    await go('/server')
    saved()
  })
  expect([here(), leaveConfirmation.current(), dropped]).toEqual(['/server', null, []])
})

test('the dialog stays open while anything is unsaved', async () => {
  const saved = unsaved()
  unsaved('other')
  await act(async () => go('/server'))
  await act(async () => saved())
  expect(here()).toBe('/site')
  await act(async () => leaveConfirmation.current()?.leave())
  expect([here(), dropped]).toEqual(['/server', ['other']])
})

test('an entry that the browser made is one of the router, which can take it back', async () => {
  const warned = vi.spyOn(console, 'warn')
  await act(async () => {
    history.pushState(null, '', '/web/server#typed')
    dispatchEvent(new PopStateEvent('popstate'))
  })
  expect(here()).toBe('/server')
  expect(history.state).toEqual({ idx: 1 })
  expect(warned).not.toHaveBeenCalled()
})
