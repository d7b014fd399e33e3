import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { MemoryRouter } from 'react-router'
import { signedOut } from '#web/lib/session/session.tsx'
import { isDark, setDark } from '#web/lib/browser/theme.ts'
import { routes } from '#web/routes.tsx'
import { ScreensProvider } from '../frame/screens.tsx'
import { UserMenu } from './user-menu.tsx'

const page = testRender()
const logOut = vi.hoisted(() => vi.fn<() => void>())
vi.mock('#web/lib/session/log-out.ts', () => ({ logOut }))
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<Record<string, unknown>>()),
  useSession: () => ({ ...signedOut, fullName: 'Ann Lee', firstName: 'Ann', email: 'ann+x@acme.example' }),
}))

const items = () => [...document.querySelectorAll<HTMLElement>('[role=menuitem]')]

test('picture, first name and e-mail; the own page, the theme, the way out', () => {
  setDark(false)
  act(() =>
    page.root.render(
      <MemoryRouter>
        <ScreensProvider routes={routes}>
          <UserMenu />
        </ScreensProvider>
      </MemoryRouter>,
    ),
  )
  act(() => {
    page.place.querySelector('button')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  })
  expect([...document.querySelectorAll('[role=menu] p')].map((one) => one.textContent)).toEqual([
    'Ann',
    'ann+x@acme.example',
  ])
  expect(items().map((item) => item.textContent)).toEqual(['Profile', 'Toggle Theme', 'Logout'])
  const [profile, theme, out] = items()
  expect(profile?.getAttribute('href')).toBe('/user/ann%2Bx%40acme.example#personal-info')
  act(() => theme?.click())
  expect(isDark()).toBe(true)
  act(() => out?.click())
  expect(logOut).toHaveBeenCalledOnce()
})
