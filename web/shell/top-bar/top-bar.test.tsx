import { screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, renderAs } from '#tests/web/screen.tsx'
import { isDark, setDark } from '#web/lib/browser/theme.ts'
import { routes } from '#web/routes.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ScreensProvider } from '../frame/screens.tsx'
import { useSearch } from '../use-search.ts'
import { TopBar } from './top-bar.tsx'

const api = apiServer()
beforeEach(() => {
  api.on('frappe.client.get_list', () => ({ message: [] }))
  api.on('frappe.client.get_count', () => ({ message: 1 }))
})

function Search() {
  const { open, mode, setOpen } = useSearch(() => Promise.resolve())
  return (
    open && [
      <p key="mode">Search for {mode}</p>,
      <button key="end" onClick={() => setOpen(false)}>
        End search
      </button>,
    ]
  )
}

test('the bar links home, opens the search, and toggles sidebar and theme', async () => {
  setDark(false)
  const sidebar = {
    phone: false,
    expanded: true,
    drawerOpen: false,
    setDrawerOpen: () => undefined,
    toggle: vi.fn<() => void>(),
  }
  const { user } = renderAs(
    member,
    <ScreensProvider routes={routes}>
      <TooltipProvider>
        <TopBar sidebar={sidebar} />
        <Search />
      </TooltipProvider>
    </ScreensProvider>,
    '/site',
  )
  // In the breadcrumb, and with the organization's name on phones.
  expect(screen.getAllByRole('link').filter((link) => link.getAttribute('href') === '/')).toHaveLength(2)
  await user.click(screen.getByRole('button', { name: /Type \/ to search/ }))
  expect(await screen.findByText('Search for navigation')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'End search' }))
  await user.click(screen.getByRole('button', { name: 'Toggle sidebar' }))
  expect(sidebar.toggle).toHaveBeenCalledOnce()
  await user.click(screen.getByRole('button', { name: 'Toggle Theme' }))
  expect([isDark(), localStorage.getItem('darkMode')]).toEqual([true, 'true'])
  await user.click(screen.getByRole('button', { name: 'Toggle Theme' }))
  expect([isDark(), localStorage.getItem('darkMode')]).toEqual([false, 'false'])
})
