import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Server } from '#shared/doctypes/server.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ServerOverviewTab } from './server-overview-tab.tsx'

const api = apiServer()
const now = Date.UTC(2026, 4, 1, 12, 0, 0)

beforeEach(() => {
  vi.useFakeTimers({ now, shouldAdvanceTime: true })
  api.on(':method', () => ({ message: [] }))
  api.on('frappe.client.get_count', () => ({ message: 0 }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1, share: 1 } } }))
})
afterEach(() => {
  vi.useRealTimers()
})

function show(checked: string, more: Partial<Server> = {}): void {
  const server = {
    name: 'v1',
    hostname: 'web-1',
    engine: 'local',
    status: 'Healthy',
    checked_at: `2026-05-01 ${checked}.000000`,
    ...more,
  }
  api.on('resource/Server/v1', () => ({ data: server }))
  renderAs(
    owner,
    <TooltipProvider>
      <ServerOverviewTab server={{ ...server, doctype: 'Server' } as unknown as Server} />
    </TooltipProvider>,
  )
}

test('a measurement is current for its interval and the time to read it', async () => {
  show('11:58:30')
  expect(await screen.findByText(/^Measured /)).toBeTruthy()
})

test('a server that is reached by SSH is measured less often', async () => {
  show('11:55:30', { engine: 'ee' })
  expect(await screen.findByText(/^Measured /)).toBeTruthy()
})

test('an older one says that the next is late, and the server is read again', async () => {
  show('11:57:00')
  expect(await screen.findByText(/^Last measured .*: the next measurement is late$/)).toBeTruthy()
  expect(api.calls.filter(({ name }) => name === 'resource/Server/v1').length).toBeGreaterThan(0)
})

test('the disk of a server that was never read by SSH is what its samples say', async () => {
  show('11:59:30', { engine: 'ee', disk_percent: 61.4, metrics_at: '2026-05-01 11:50:00.000000' })
  expect(await screen.findByText('61% of disk used')).toBeTruthy()
  expect(screen.queryByText('Not measured yet')).toBeNull()
})

test('what was changed at the provider is shown beside what is stored', async () => {
  const changed = { vm_type: 'cx23', public_ipv6: null, drift: { vm_type: 'cx33', public_ipv6: '2001:db8::1' } }
  show('11:59:30', { ...changed, cloud_provider: 'Hetzner' })
  const notice = await screen.findByText('Changed at Hetzner')
  expect(notice.parentElement?.textContent).toContain(
    'Machine type: cx33 there, cx23 here.IPv6: 2001:db8::1 there, none here.',
  )
  expect(screen.getByRole('button', { name: 'Take it over' })).toBeTruthy()
})

test('what a server costs is shown, with a hint if a smaller one would do', async () => {
  api.on('run_doc_method', () => ({ message: { this_month: 1.23, currency: 'EUR', oversized: true } }))
  show('11:59:30', { price_monthly: '4.61', price_currency: 'EUR' })
  expect(await screen.findByText('€1.23')).toBeTruthy()
  expect(screen.getAllByText('€4.61')).not.toEqual([])
  expect(screen.getByText('CPU under 10% for 7 days: a smaller type would do.')).toBeTruthy()
})

test('the sites of a server are called by their titles, with their addresses below', async () => {
  const sites = [
    { name: 's1', domain: 'one.example', title: 'My shop', status: 'Live' },
    { name: 's2', domain: 'two.example', title: null, status: 'Live' },
  ]
  api.on('frappe.client.get_list', ({ body }) => ({ message: body['doctype'] === 'Site' ? sites : [] }))
  show('11:59:30')
  const link = await screen.findByRole('link', { name: 'My shop' })
  expect(link.closest('li')?.textContent).toContain('My shopone.example')
  expect(screen.getByRole('link', { name: 'two.example' }).closest('li')?.textContent).toBe('two.exampleLive')
})

test('sites that an import left out are named, also once all others have an owner', async () => {
  api.on('resource/Site', () => ({ data: [] }))
  show('11:59:30', { engine: 'ee', is_imported_with_ee: 1, left_out_sites: ['../etc', 'shop.example (old)'] })
  const list = await screen.findByRole('list', { name: 'Sites of this server that were left out' })
  expect(
    within(list)
      .getAllByRole('listitem')
      .map((one) => one.textContent),
  ).toEqual(['../etc', 'shop.example (old)'])
})

test('sites that a server had are shown with what is known of them, and those that are chosen get an owner', async () => {
  const rows = [
    {
      name: 's1',
      domain: 'one.example',
      site_type: 'wp',
      php_version: '8.3',
      status: 'Live',
      usr_alias_domains: 'www.one.example',
    },
    {
      name: 's2',
      domain: 'two.example',
      site_type: 'html',
      php_version: null,
      status: 'Suspended',
      usr_alias_domains: null,
    },
  ]
  const people = [{ name: 'ann@acme.example', full_name: 'Ann' }]
  api.on('frappe.client.get_list', ({ body }) => ({ message: body['doctype'] === 'Site' ? rows : people }))
  api.on('run_doc_method', () => ({ message: { sites: 1 } }))
  show('11:59:30', { engine: 'ee', is_imported_with_ee: 1, cloud_provider: 'Custom' })
  const list = await screen.findByRole('list', { name: 'Sites without an owner' })
  const [one, two] = within(list)
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)
  expect(one).toMatch(/one\.example.*Live.*WordPress.*PHP 8\.3.*also www\.one\.example/)
  expect(two).toMatch(/two\.example.*Suspended.*HTML/)
  fireEvent.click(within(list).getByRole('checkbox', { name: 'Choose two.example' }))
  fireEvent.click(screen.getByRole('button', { name: /^Choose the owner of 1 site/ }))
  const dialog = await screen.findByRole('dialog')
  expect(within(dialog).queryByLabelText(/Sites/)).toBeNull()
  fireEvent.change(within(dialog).getByRole('combobox'), { target: { value: 'ann@acme.example' } })
  fireEvent.click(within(dialog).getByRole('button', { name: /^Choose the owner of 1 site/ }))
  await waitFor(() =>
    expect(api.calls.findLast(({ body }) => body['method'] === 'set_sites_owner')?.body).toMatchObject({
      args: { new_owner: 'ann@acme.example', sites: ['s1'] },
    }),
  )
})
