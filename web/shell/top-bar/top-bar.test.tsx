import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { MemoryRouter } from 'react-router'
import { signedOut } from '#web/lib/session/session.tsx'
import { isDark, setDark } from '#web/lib/browser/theme.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { TopBar } from './top-bar.tsx'

const page = testRender()
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<Record<string, unknown>>()),
  useSession: () => ({
    ...signedOut,
    organization: { name: 'acme', title: 'Acme', role: 'Organization User', owner: false },
  }),
}))
// These have tests of their own.
vi.mock('./job-tray.tsx', () => ({ JobTray: () => null }))
vi.mock('./members-control.tsx', () => ({ MembersControl: () => null }))
vi.mock('./user-menu.tsx', () => ({ UserMenu: () => null }))

const button = (name: string) =>
  [...page.place.querySelectorAll('button')].find((one) =>
    (one.getAttribute('aria-label') ?? one.textContent).includes(name),
  )

test('the bar leads home, opens the search, and switches sidebar and theme', () => {
  setDark(false)
  const sidebar = {
    phone: false,
    expanded: true,
    drawerOpen: false,
    setDrawerOpen: () => undefined,
    toggle: vi.fn<() => void>(),
  }
  const search = {
    open: false,
    mode: 'places' as const,
    setOpen: () => undefined,
    call: vi.fn<(mode: string) => void>(),
  }
  act(() =>
    page.root.render(
      <MemoryRouter initialEntries={['/site']}>
        <TooltipProvider>
          <TopBar sidebar={sidebar} search={search} />
        </TooltipProvider>
      </MemoryRouter>,
    ),
  )
  // In the breadcrumb, and with the organization's name on phones.
  expect([...page.place.querySelectorAll('a[href="/"]')]).toHaveLength(2)
  act(() => button('Type / to search')?.click())
  expect(search.call).toHaveBeenCalledExactlyOnceWith('places')
  act(() => button('Toggle sidebar')?.click())
  expect(sidebar.toggle).toHaveBeenCalledOnce()
  act(() => button('Toggle Theme')?.click())
  expect([isDark(), localStorage.getItem('darkMode')]).toEqual([true, 'true'])
  act(() => button('Toggle Theme')?.click())
  expect([isDark(), localStorage.getItem('darkMode')]).toEqual([false, 'false'])
})
