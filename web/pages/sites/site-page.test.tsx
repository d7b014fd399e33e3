import { act } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { MemoryRouter } from 'react-router'
import { PathParams } from '#web/lib/routing/route-match.ts'
import { clearToasts, useToasts } from '#web/lib/browser/toasts.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { SitePage } from './site-page.tsx'

const page = testRender()
const now = vi.hoisted(() => ({
  site: {} as object,
  error: null as unknown,
  gate: {} as object,
  open: (_: unknown) => Promise.resolve(),
}))
vi.mock('#web/lib/api/frappe.tsx', () => ({
  useDoc: () => ({ data: now.site, error: now.error, reload: () => Promise.resolve() }),
  useList: () => ({ data: [] }),
}))
vi.mock('#web/lib/api/use-events.ts', () => ({ useListEvents: () => undefined }))
vi.mock('#web/documents/actions/use-actions.ts', () => ({
  useActions: () => [{ name: 'login_link', gate: now.gate }],
  useLivePermissions: () => undefined,
}))
vi.mock('#web/features/sites/open-admin.ts', () => ({ useOpenAdmin: () => now.open }))
// These parts have tests of their own.
vi.mock('#web/documents/actions/action-menu.tsx', () => ({ ActionMenu: () => null }))
vi.mock('#web/documents/list/favorite.tsx', () => ({ FavoriteButton: () => null }))
vi.mock('./share-button.tsx', () => ({ ShareButton: () => null }))
vi.mock('./site-overview-tab.tsx', () => ({ SiteOverviewTab: () => null }))
vi.mock('./use-take-picture.ts', () => ({ useTakePicture: () => null }))

function Toasts() {
  return <output>{useToasts().history.map(({ title, description }) => `${title}: ${description ?? ''}`)}</output>
}
function draw(gate: object, site: object = {}): void {
  now.gate = gate
  now.site = { name: 's1', domain: 'blog', site_type: 'wp', status: 'Live', url: 'http://blog.localhost', ...site }
  act(() =>
    page.root.render(
      <MemoryRouter initialEntries={['/site/s1']}>
        <PathParams value={{ site: 's1' }}>
          <SitePage />
          <Toasts />
        </PathParams>
      </MemoryRouter>,
    ),
  )
}
const button = () => [...page.place.querySelectorAll('button')].find((one) => one.textContent.startsWith('Open admin'))
const pressL = () => act(async () => void document.dispatchEvent(new KeyboardEvent('keydown', { key: 'l' })))
const told = () => page.place.querySelector('output')?.textContent

beforeEach(() => {
  clearToasts()
  now.error = null
  now.open = vi.fn(() => Promise.resolve())
})

test('the admin opens by its button and by l', async () => {
  draw({ shown: true, enabled: true })
  await act(async () => button()?.click())
  await pressL()
  expect(now.open).toHaveBeenCalledTimes(2)
  expect(told()).toBe('')
})

test('while it cannot be opened, button and key say why', async () => {
  draw({ shown: true, enabled: false, reason: 'Another job is at work here.' })
  expect(button()?.getAttribute('aria-disabled')).toBe('true')
  await act(async () => button()?.click())
  expect(told()).toBe('The admin cannot be opened now: Another job is at work here.')
  act(() => clearToasts())
  await pressL()
  expect(told()).toContain('Another job is at work here.')
  expect(now.open).not.toHaveBeenCalled()
})

test('a site without WordPress has no admin, and the key does nothing', async () => {
  draw({ shown: true, enabled: true }, { site_type: 'html' })
  expect(button()).toBeUndefined()
  await pressL()
  expect(now.open).not.toHaveBeenCalled()
  expect(told()).toBe('')
})

test.each([
  ['it is no longer shared', 403, 'The site did not load'],
  ['nobody answers', 0, 'blog'],
])('when %s (%i) the page says “%s”', (_why, httpStatus, title) => {
  now.error = new ApiError('No', { httpStatus })
  draw({ shown: true, enabled: true })
  expect(page.place.querySelector('h1')?.textContent).toBe(title)
})
