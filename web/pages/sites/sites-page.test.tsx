import { screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { SitesPage } from './sites-page.tsx'

const api = apiServer()

/** Renders the page of an organization without active sites. */
function setup(archived: number) {
  api.on(':method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('frappe.client.get_count', ({ body }) => ({
    message: /"=","Archived"/.test(JSON.stringify(body['filters'])) ? archived : 0,
  }))
  return renderAs(
    owner,
    <TooltipProvider>
      <SitesPage />
    </TooltipProvider>,
    '/site',
  )
}

test('an organization without sites is told what a site is', async () => {
  setup(0)
  expect(await screen.findByText('No sites yet')).toBeTruthy()
  expect(screen.queryByText(/archived site/)).toBeNull()
})

test('an organization whose sites are all archived gets the way to them', async () => {
  setup(2)
  const link = await screen.findByRole('link', { name: 'Show 2 archived sites' })
  expect(decodeURIComponent(link.getAttribute('href') ?? '')).toContain('status')
  expect(screen.queryByText('No sites yet')).toBeNull()
})

test('no count of a large organization goes beyond 1,000', async () => {
  const site = { domain: 'a.example', status: 'Live', health: 'Up', site_type: 'wp', modified: '2026-01-01 00:00:00' }
  api.on(':method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('frappe.client.get_list', ({ body }) => ({
    message: body['doctype'] === 'Site' && !body['group_by'] ? [{ name: 'a', ...site }] : [],
  }))
  api.on('frappe.client.get_count', ({ body }) => ({
    message: Math.min(100_000, Number(body['limit'] ?? Infinity)),
  }))
  renderAs(
    { ...owner, modules: { ee: true, wpc: false } },
    <TooltipProvider>
      <SitesPage />
    </TooltipProvider>,
    '/site',
  )
  expect(await screen.findByText('1,000+ sites, 1,000+ archived')).toBeTruthy()
  expect(await screen.findByText('1,000+ sites are down')).toBeTruthy()
  expect(await screen.findByText('1 of 1,000+')).toBeTruthy()
  expect(await screen.findByRole('button', { name: 'All 1,000+' })).toBeTruthy()
  const counts = api.calls.filter(({ name }) => name === 'frappe.client.get_count')
  expect(counts.length).toBeGreaterThan(8)
  expect(counts.filter(({ body }) => body['limit'] !== 1001)).toEqual([])
})

test('a site that is online can be visited from the menu of its row', async () => {
  const open = vi.spyOn(window, 'open').mockReturnValue(null)
  const site = { health: 'Up', site_type: 'wp', modified: '2026-01-01 00:00:00' }
  const rows = [
    { ...site, name: 's1', domain: 'blog', status: 'Live', url: 'http://blog.localhost' },
    { ...site, name: 's2', domain: 'shop', status: 'Failed', url: 'http://shop.localhost' },
  ]
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('frappe.client.get_count', () => ({ message: 2 }))
  api.on('frappe.client.get_list', ({ body }) => ({
    message: body['doctype'] === 'Site' && !body['group_by'] ? rows : [],
  }))
  const { user } = renderAs(
    owner,
    <TooltipProvider>
      <SitesPage />
    </TooltipProvider>,
    '/site',
  )
  await user.click(await screen.findByRole('button', { name: 'Actions for shop' }))
  expect(await screen.findByRole('menuitem', { name: /^Open(?! admin)/ })).toBeTruthy()
  expect(screen.queryByRole('menuitem', { name: 'Visit' })).toBeNull()
  await user.keyboard('{Escape}')
  await user.click(await screen.findByRole('button', { name: 'Actions for blog' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Visit' }))
  expect(open.mock.calls).toEqual([['http://blog.localhost', '_blank', 'noopener']])
  open.mockRestore()
})

test('the controls of sites with equal titles have names of their own', async () => {
  const site = { title: 'Shop', status: 'Live', health: 'Up', site_type: 'wp', modified: '2026-01-01 00:00:00' }
  const rows = [
    { ...site, name: 's1', domain: 'shop' },
    { ...site, name: 's2', domain: 'shop-copy' },
    { ...site, name: 's3', domain: 'blog', title: 'Blog' },
  ]
  api.on(':method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('frappe.client.get_count', () => ({ message: 3 }))
  api.on('frappe.client.get_list', ({ body }) => ({
    message: body['doctype'] === 'Site' && !body['group_by'] ? rows : [],
  }))
  renderAs(
    owner,
    <TooltipProvider>
      <SitesPage />
    </TooltipProvider>,
    '/site',
  )
  for (const title of ['Shop (shop)', 'Shop (shop-copy)', 'Blog']) {
    expect(await screen.findByRole('checkbox', { name: `Select ${title}` })).toBeTruthy()
    expect(screen.getByRole('button', { name: `Actions for ${title}` })).toBeTruthy()
    expect(screen.getByRole('button', { name: `Add ${title} to favorites` })).toBeTruthy()
  }
})

test('a member is offered for selected sites what their shares allow and their engines can do', async () => {
  const site = { status: 'Live', health: 'Up', site_type: 'wp', modified: '2026-01-01 00:00:00' }
  const rows = [
    { ...site, name: 's1', domain: 'viewed', owner: owner.user },
    { ...site, name: 's2', domain: 'edited', owner: owner.user, server: 'laptop' },
    { ...site, name: 's3', domain: 'own', owner: member.user, server: 'cloud' },
  ]
  const shares = [
    { name: 'd1', share_name: 's1', read: 1, write: 0, share: 0 },
    { name: 'd2', share_name: 's2', read: 1, write: 1, share: 0 },
  ]
  api.on(':method', () => ({ message: [] }))
  const isCloud = (server: unknown) => ({ containers: { supported: server === 'cloud', reason: 'No containers.' } })
  api.on('easydash.api.engine.capabilities', ({ body }) => ({
    message: { capabilities: isCloud(body['server']) },
  }))
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('frappe.client.get_count', () => ({ message: 3 }))
  api.on('frappe.client.get_list', ({ body }) => {
    if (body['doctype'] === 'DocShare') return { message: shares }
    return { message: body['doctype'] === 'Site' && !body['group_by'] ? rows : [] }
  })
  const { user } = renderAs(
    member,
    <TooltipProvider>
      <SitesPage />
    </TooltipProvider>,
    '/site',
  )
  const select = async (name: string) => user.click(await screen.findByRole('checkbox', { name: `Select ${name}` }))
  const offered = async () => {
    const bar = within(screen.getByRole('region', { name: 'Selected rows' }))
    const more = bar.queryByRole('button', { name: 'More actions' })
    if (!more) return bar.queryAllByRole('button').map((button) => button.textContent ?? '')
    await user.click(more)
    const items = (await screen.findAllByRole('menuitem')).map((item) => item.textContent ?? '')
    await user.keyboard('{Escape}')
    return [...bar.queryAllByRole('button').map((button) => button.textContent ?? ''), ...items]
  }
  await select('viewed')
  expect(await screen.findByText('Not available for the selected rows')).toBeTruthy()
  expect((await offered()).filter((text) => text !== '' && !/^Select all/.test(text))).toEqual([])
  await select('edited')
  const forEditing = (await offered()).join(' ')
  expect(forEditing).toMatch(/Update plugin….*Change PHP version/)
  // What no engine of the selected sites can do is not offered, either.
  expect(forEditing).not.toMatch(/Share…|Archive|Rebuild/)
  await select('own')
  expect((await offered()).join(' ')).toMatch(/Share….*Rebuild….*Archive/)
})

test('the address of the specification shows checksums', async () => {
  api.on(':method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('frappe.client.get_count', () => ({ message: 1 }))
  const modified = { site_type: 'wp', status: 'Live', wordpress_checksum: 'Modified' }
  api.on('frappe.client.get_list', ({ body }) => ({
    message: body['doctype'] === 'Site' && !body['group_by'] ? [{ name: 's1', domain: 'blog', ...modified }] : [],
  }))
  renderAs(
    owner,
    <TooltipProvider>
      <SitesPage />
    </TooltipProvider>,
    '/site?columns=["wordpress_checksum","favorite"]&status=["!=","Archived"]',
  )
  expect(await screen.findByText('Modified')).toBeTruthy()
})
