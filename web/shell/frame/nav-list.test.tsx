import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { routes } from '#web/routes.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { NavList } from './nav-list.tsx'
import { ScreensProvider } from './screens.tsx'

const api = apiServer()

const views = [
  { name: 'a', title: 'Down', reference_doctype: 'Site', filters: [['health', '=', 'Down']] },
  { name: 'b', title: 'Full', reference_doctype: 'Server', filters: [['status', '=', 'Degraded']] },
].map((view) => ({ owner: owner.user, any_filters: [], order_by: null, columns: null, shared: 0, ...view }))

test.each([false, true])('views are sub-items that collapse, remembered with the account; rail: %s', async (rail) => {
  let preferences: Record<string, unknown> = { single_keys: true }
  const meta = () => ({ data: { name: owner.user, preferences } })
  api.on('resource/User%20Meta/:any', ({ body, verb }) => {
    if (verb === 'PUT') preferences = body['preferences'] as Record<string, unknown>
    return meta()
  })
  const reads: unknown[] = []
  api.on('frappe.client.get_count', () => ({ message: 1 }))
  api.on('frappe.client.get_list', ({ body }) => {
    if (body['doctype'] === 'Saved View') reads.push(body)
    return { message: views }
  })
  const { user } = renderAs(
    { ...owner, modules: { ee: true, wpc: false } },
    <ScreensProvider routes={routes}>
      <TooltipProvider>
        <NavList rail={rail} />
      </TooltipProvider>
    </ScreensProvider>,
    '/site?status=%5B%22%21%3D%22%2C%22Archived%22%5D&favorite=%5B%22%3D%22%2C1%5D',
  )
  expect(screen.getAllByRole('link').flatMap(({ dataset }) => dataset['entry'] ?? [])).toEqual(
    'dashboard view-sites view-servers users organization billing platform support'.split(' '),
  )
  const sites = screen.getByRole('button', { name: 'Views of Sites' })
  const servers = screen.getByRole('button', { name: 'Views of Servers' })
  expect(sites.getAttribute('aria-expanded')).toBe('false')
  expect(screen.queryByRole('link', { name: 'Favorites' })).toBeNull()
  expect(reads).toEqual([])

  await waitFor(() => expect(api.calls.length).toBeGreaterThan(0))
  sites.focus()
  await user.keyboard('{Enter}')
  const down = await screen.findByRole('link', { name: 'Down' })
  expect(sites.getAttribute('aria-expanded')).toBe('true')
  expect(document.getElementById(sites.getAttribute('aria-controls') ?? '')?.contains(down)).toBe(true)
  expect(down.getAttribute('href')).toBe('/site?health=%5B%22%3D%22%2C%22Down%22%5D')
  expect(screen.getByRole('link', { name: 'Favorites' }).getAttribute('aria-current')).toBe('page')
  expect(screen.queryByRole('link', { name: 'Full' })).toBeNull()
  expect(preferences).toEqual({ single_keys: true, nav_expanded: ['/site'] })

  await user.click(servers)
  expect(await screen.findByRole('link', { name: 'Full' })).toBeTruthy()
  expect(reads).toHaveLength(1)

  await user.click(sites)
  expect(screen.queryByRole('link', { name: 'Down' })).toBeNull()
  expect(preferences).toEqual({ single_keys: true, nav_expanded: ['/server'] })
})

test.each([
  ['in red if a site is down', 1, '1 needs attention', true],
  ['quietly if none is', 0, '7', false],
])('the number beside Sites is shown %s', async (_how, down, text, isRed) => {
  api.on('resource/User%20Meta/:any', () => ({ data: { name: owner.user, preferences: {} } }))
  api.on('frappe.client.get_count', ({ body }) => ({
    message: /Down|Failed/.test(JSON.stringify([body['filters'], body['or_filters']])) ? down : 7,
  }))
  renderAs(
    owner,
    <ScreensProvider routes={routes}>
      <TooltipProvider>
        <NavList />
      </TooltipProvider>
    </ScreensProvider>,
  )
  const number = await within(screen.getByRole('link', { name: /^Sites/ })).findByText(text)
  expect(number.classList.contains('text-bad')).toBe(isRed)
})
