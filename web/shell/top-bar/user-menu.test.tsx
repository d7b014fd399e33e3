import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { isDark, setDark } from '#web/lib/browser/theme.ts'
import { routes } from '#web/routes.tsx'
import { ScreensProvider } from '../frame/screens.tsx'
import { UserMenu } from './user-menu.tsx'

const api = apiServer()

test('shows avatar, first name and email, the profile link, the theme switch and Log out', async () => {
  setDark(false)
  api.on('logout', () => ({ message: null }))
  const left = vi.spyOn(location, 'assign').mockImplementation(() => undefined)
  const { user } = renderAs(
    { ...owner, fullName: 'Ann Lee', firstName: 'Ann', email: 'ann+x@acme.example' },
    <ScreensProvider routes={routes}>
      <UserMenu />
    </ScreensProvider>,
  )
  await user.tab()
  await user.keyboard('{Enter}')
  const menu = await screen.findByRole('menu')
  expect([...menu.querySelectorAll('p')].map((one) => one.textContent)).toEqual(['Ann', 'ann+x@acme.example'])
  const items = screen.getAllByRole('menuitem')
  expect(items.map((item) => item.textContent)).toEqual(['Profile', 'Toggle Theme', 'Logout'])
  expect(items[0]?.getAttribute('href')).toBe('/user/ann%2Bx%40acme.example#personal-info')
  await user.click(screen.getByRole('menuitem', { name: 'Toggle Theme' }))
  expect(isDark()).toBe(true)
  await user.click(screen.getByRole('menuitem', { name: 'Logout' }))
  await waitFor(() => expect(left).toHaveBeenCalledExactlyOnceWith('/web/login'))
  expect(api.calls.map(({ name }) => name)).toEqual(['logout'])
})
