import { act, screen, waitFor, within } from '@testing-library/react'
import { useLocation } from 'react-router'
import { beforeEach, expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { saveDraft } from '#web/documents/form/draft.ts'
import { setOfflineSince } from '#web/lib/api/offline.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { SiteCreatePage } from './site-create-page.tsx'

const api = apiServer()
const created = () => api.calls.find(({ name, verb }) => name === 'resource/Site' && verb === 'POST')?.body

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  api.on(':method', () => ({ message: [] }))
  api.on('frappe.client.get_count', () => ({ message: 0 }))
  api.on('frappe.desk.search.search_link', () => ({ message: [{ value: 'v1', label: 'web-1', description: '' }] }))
  api.on('frappe.client.get_value', () => ({ message: { server_category: 'production', engine: 'ee' } }))
  api.on('easydash.api.site.php.get_versions', () => ({ message: ['8.4'] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  api.on('resource/Site', () => ({ data: { name: 's1' } }))
})

/** Renders the page of a new WordPress site with this name. */
async function setup(name: string) {
  const { user } = renderAs(
    { ...owner, email: owner.user ?? '' },
    <TooltipProvider>
      <SiteCreatePage />
    </TooltipProvider>,
    '/site/create',
  )
  await user.type(await screen.findByRole('textbox', { name: /^Name/ }), name)
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>('textbox', { name: /^PHP|^Name/ })).toBeTruthy())
  return user
}
const title = () => screen.getByRole<HTMLInputElement>('textbox', { name: /^Site title/ })
const submit = () => screen.getAllByRole('button', { name: /^Create site/ })[0] as HTMLElement

test('the title that was typed is sent', async () => {
  const user = await setup('Bäckerei Nord')
  expect(title().value).toBe('Bäckerei Nord')
  await user.click(submit())
  await waitFor(() => expect(created()).toMatchObject({ domain: 'backerei-nord', title: 'Bäckerei Nord' }))
})

test('a title that was emptied again comes from the name', async () => {
  const user = await setup('Bäckerei Nord')
  await user.clear(title())
  await user.click(submit())
  await waitFor(() => expect(created()).toMatchObject({ domain: 'backerei-nord', title: 'Backerei nord' }))
})

test('a site without WordPress keeps the title that was typed', async () => {
  const user = await setup('Bäckerei Nord')
  await user.click(screen.getByRole('radio', { name: /^HTML/ }))
  expect(title().value).toBe('Bäckerei Nord')
  await user.click(submit())
  await waitFor(() =>
    expect(created()).toMatchObject({ domain: 'backerei-nord', site_type: 'html', title: 'Bäckerei Nord' }),
  )
})

test('on a server, the form says whether the domain points there, and offers what the server has', async () => {
  const has = { supported: true }
  const capabilities = { tls: has, object_cache: has, php_database: has }
  api.on('easydash.api.engine.capabilities', () => ({ message: { site_names: 'domain', capabilities } }))
  const found = [{ type: 'A', address: '198.51.100.1', is_here: false }]
  const expected = [
    { type: 'A', address: '203.0.113.7' },
    { type: 'AAAA', address: '2001:db8::7' },
  ]
  api.on('easydash.api.site.look_up_domain', ({ body }) => ({
    message:
      body['domain'] === 'here.example'
        ? { state: 'here', expected, found: [] }
        : { state: 'not_here', expected, found },
  }))
  const { user } = renderAs(
    { ...owner, email: owner.user ?? '' },
    <TooltipProvider>
      <SiteCreatePage />
    </TooltipProvider>,
    '/site/create',
  )
  const domain = await screen.findByRole('textbox', { name: /^Domain/ })
  await user.type(domain, 'away.example')
  expect(await screen.findByText(/^Does not point at this server yet/)).toBeTruthy()
  const records = within(screen.getByRole('list', { name: 'DNS records of away.example' }))
  expect(records.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'A198.51.100.1Another host, change it to203.0.113.7',
    'AAAANo recordAdd2001:db8::7',
  ])
  expect(records.getByRole('button', { name: 'Copy 203.0.113.7' })).toBeTruthy()
  await user.clear(domain)
  await user.type(domain, 'here.example')
  expect(await screen.findByText('Points at this server')).toBeTruthy()
  expect(screen.queryByRole('list', { name: /^DNS records/ })).toBeNull()
  await user.selectOptions(screen.getByRole('combobox', { name: /^SSL certificate/ }), 'Let’s Encrypt')
  await user.click(screen.getByRole('checkbox', { name: /^Redis cache/ }))
  expect(screen.queryByRole('checkbox', { name: /VIP/ })).toBeNull()
  expect(screen.queryByRole('checkbox', { name: /MariaDB/ })).toBeNull()
  await user.click(submit())
  await waitFor(() => expect(created()).toMatchObject({ domain: 'here.example', initial_ssl: 'le', object_cache: 1 }))
})

test('a PHP site on a server can have a database', async () => {
  const capabilities = { tls: { supported: true }, php_database: { supported: true } }
  api.on('easydash.api.engine.capabilities', () => ({ message: { site_names: 'domain', capabilities } }))
  const { user } = renderAs(
    { ...owner, email: owner.user ?? '' },
    <TooltipProvider>
      <SiteCreatePage />
    </TooltipProvider>,
    '/site/create',
  )
  await user.type(await screen.findByRole('textbox', { name: /^Domain/ }), 'orders.example')
  await user.click(screen.getByRole('radio', { name: /^PHP/ }))
  await user.click(screen.getByRole('checkbox', { name: /^MariaDB database/ }))
  await user.click(submit())
  await waitFor(() => expect(created()).toMatchObject({ site_type: 'php', with_database: 1 }))
})

test('language and version of a new WordPress are chosen where its server has a choice', async () => {
  const capabilities = { wordpress_choice: { supported: true } }
  api.on('easydash.api.engine.capabilities', () => ({ message: { site_names: 'domain', capabilities } }))
  const { user } = renderAs(
    { ...owner, email: owner.user ?? '' },
    <TooltipProvider>
      <SiteCreatePage />
    </TooltipProvider>,
    '/site/create',
  )
  await user.type(await screen.findByRole('textbox', { name: /^Domain/ }), 'shop.example')
  const language = screen.getByRole<HTMLSelectElement>('combobox', { name: /^Language/ })
  expect(language.value).toBe('')
  await user.selectOptions(language, 'German (Germany)')
  const version = screen.getByRole('textbox', { name: /^WordPress version/ })
  await user.type(version, '4.9')
  await user.click(submit())
  expect(await screen.findByText(/^Enter a version from 6.4 on/)).toBeTruthy()
  await user.clear(version)
  await user.type(version, '6.8.1')
  await user.click(submit())
  await waitFor(() => expect(created()).toMatchObject({ initial_locale: 'de_DE', initial_version: '6.8.1' }))
})

test('what another server lacks can be taken back there', async () => {
  const lacks = { supported: false, reason: 'Not on this server.' }
  const [all, none] = [{ supported: true }, lacks].map((one) => ({ tls: one, object_cache: one }))
  api.on('frappe.desk.search.search_link', () => ({
    message: ['v1', 'v2'].map((value) => ({ value, label: value, description: '' })),
  }))
  api.on('easydash.api.engine.capabilities', ({ body }) => ({
    message: { site_names: 'domain', capabilities: body['server'] === 'v2' ? none : all },
  }))
  const { user } = renderAs(
    { ...owner, email: owner.user ?? '' },
    <TooltipProvider>
      <SiteCreatePage />
    </TooltipProvider>,
    '/site/create',
  )
  await user.type(await screen.findByRole('textbox', { name: /^Domain/ }), 'here.example')
  const ssl = () => screen.getByRole('combobox', { name: /^SSL certificate/ })
  await user.selectOptions(ssl(), 'Let’s Encrypt')
  await user.click(screen.getByRole('checkbox', { name: /^Redis cache/ }))
  await user.click(screen.getByRole('radio', { name: /v2/ }))
  await waitFor(() => expect(screen.getByText('Not on this server.')).toBeTruthy())
  await user.selectOptions(ssl(), 'None')
  await user.click(screen.getByRole('checkbox', { name: /^Redis cache/ }))
  expect(screen.queryByRole('checkbox', { name: /^Redis cache/ })).toBeNull()
  await user.click(submit())
  await waitFor(() => expect(created()).toMatchObject({ server: 'v2' }))
  expect(created()).not.toHaveProperty('initial_ssl')
})

test('each server says its category, provider, region, load and room', async () => {
  const facts = { server_category: 'production', cloud_provider: 'Hetzner', vm_region: 'fsn1', vm_country: 'DE' }
  const load = { cpu_percent: 12, metrics_at: new Date().toISOString().slice(0, 19).replace('T', ' ') }
  const rows = [
    { name: 'v1', ...facts, ...load, disk_free: 40 * 2 ** 30 },
    { name: 'v2', ...facts, server_category: 'development', cpu_percent: 99, metrics_at: '2020-01-01 00:00:00' },
  ]
  api.on('frappe.desk.search.search_link', () => ({
    message: rows.map(({ name }) => ({ value: name, label: name, description: '' })),
  }))
  api.on('frappe.client.get_list', ({ body }) => ({ message: body['doctype'] === 'Server' ? rows : [] }))
  await setup('nord')
  const first = screen.getByRole('radio', { name: /^v1/ }).closest('label')
  await waitFor(() => expect(first?.textContent).toMatch(/^v1Hetzner.*fsn1, Germany.*CPU 12%.*40 GB free.*Production/))
  const second = screen.getByRole('radio', { name: /^v2/ }).closest('label')
  expect(second?.textContent).toMatch(/Development$/)
  // An old sample says nothing about now.
  expect(second?.textContent).not.toContain('99')
})

/** Renders the page in an organization with these numbers of documents. */
function openWith(counts: Record<string, number>, session = owner) {
  const site = {
    name: 's1',
    domain: 'shop',
    title: 'Shop',
    status: 'Live',
    site_type: 'html',
    owner: owner.user,
    server: 'v1',
  }
  const countOf = ({ body }: { body: Record<string, unknown> }) => ({ message: counts[String(body['doctype'])] ?? 0 })
  api.on('frappe.client.get_count', countOf)
  api.on('frappe.client.get_list', ({ body }) => ({ message: body['doctype'] === 'Site' ? [site] : [] }))
  api.on('resource/Site/s1', () => ({ data: site }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1, share: 0 } } }))
  return renderAs(
    { ...session, email: session.user ?? '' },
    <TooltipProvider>
      <SiteCreatePage />
    </TooltipProvider>,
    '/site/create',
  )
}
const sources = () =>
  within(screen.getByRole('group', { name: 'Start from' }))
    .getAllByRole('radio')
    .map((radio) => radio.closest('label')?.textContent)

test('a site to clone is found by its name, and the dialog of its page asks for the rest', async () => {
  const { user } = openWith({ Site: 1 })
  await user.type(await screen.findByRole('textbox', { name: /^Name/ }), 'kept')
  await user.click(await screen.findByRole('radio', { name: 'Clone a site' }))
  expect(sources()).toEqual(['Fresh', 'Clone a site'])
  expect(screen.queryByRole('button', { name: /^Create site/ })).toBeNull()
  await user.type(await screen.findByRole('combobox', { name: /^Site to clone/ }), 'sho')
  await user.click(await screen.findByRole('option', { name: /shop$/ }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Clone Shop' }))
  await user.type(dialog.getByRole('textbox', { name: /^Name/ }), 'copy')
  // What was entered survives a connection that is lost for a moment.
  for (const since of [Date.now(), null]) act(() => setOfflineSince(since))
  const again = within(screen.getByRole('dialog'))
  expect(again.getByRole<HTMLInputElement>('textbox', { name: /^Name/ }).value).toBe('copy')
  await user.click(again.getByRole('button', { name: 'Cancel' }))
  await user.click(screen.getByRole('radio', { name: 'Fresh' }))
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: /^Name/ }).value).toBe('kept')
})

test('why a site cannot be cloned is said at its field', async () => {
  const { user } = openWith({ Site: 1, DocShare: 1 }, member)
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 0, share: 0 } } }))
  await user.click(await screen.findByRole('radio', { name: 'Clone a site' }))
  const field = await screen.findByRole('combobox', { name: /^Site to clone/ })
  await user.type(field, 'sho')
  await user.click(await screen.findByRole('option', { name: /shop$/ }))
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a list of sites that did not load is no list without a match', async () => {
  const { user } = openWith({ Site: 1 })
  const refusal = { exc_type: 'TooManyRequests', _error_message: 'Too many requests. Try again in a minute.' }
  api.on('frappe.client.get_list', () => ({ status: 429, body: refusal }))
  await user.click(await screen.findByRole('radio', { name: 'Clone a site' }))
  await user.type(await screen.findByRole('combobox', { name: /^Site to clone/ }), 'sho')
  expect((await screen.findByRole('alert')).textContent).toBe('Too many requests. Try again in a minute.')
  expect(screen.queryByText('No live site matches.')).toBeNull()
})

test('a backup is chosen in the list of backups', async () => {
  const { user } = openWith({ Site: 1, 'Site Backup': 2 })
  await user.click(await screen.findByRole('radio', { name: 'From a backup' }))
  expect(sources()).toEqual(['Fresh', 'Clone a site', 'From a backup'])
  expect(screen.getByRole('link', { name: 'Show all backups' }).getAttribute('href')).toMatch(/\/site\/backups$/)
})

/** The plan of an organization that has no site, or none any more. */
const subscription = {
  ...{ plans_enabled: false, plan_name: 'Free', is_free_tier: true, is_canceled: false, cancelation_date: null },
  ...{ usage: { site: 0, server: 0 }, limits: { site: 0, server: 0 } },
}

test('backups of sites that were deleted are offered where no site is left', async () => {
  openWith({ 'Site Backup': 2 }, { ...owner, subscription })
  await screen.findByRole('radio', { name: 'From a backup' })
  expect(sources()).toEqual(['Fresh', 'From a backup'])
})

test.each([
  ['without a site', {}, owner],
  ['without a site, as the plan says', {}, { ...owner, subscription }],
  ['for a member who can edit none', { 'Site Backup': 1 }, member],
])('there is nothing to start from %s', async (_, counts, session) => {
  openWith(counts, session)
  await screen.findByRole('textbox', { name: /^Name/ })
  await waitFor(() => expect(screen.queryByRole('heading', { name: 'Start from' })).toBeNull())
})

test('the server that the address names is chosen instead of a draft’s, until another one is', async () => {
  document.cookie = `user_id=${encodeURIComponent(owner.user ?? '')}`
  saveDraft('site-create', { server: 'v1', domain: 'nord' })
  api.on('frappe.desk.search.search_link', () => ({
    message: ['v1', 'v2'].map((value) => ({ value, label: value, description: '' })),
  }))
  function Search() {
    return <output data-testid="search">{useLocation().search}</output>
  }
  const { user } = renderAs(
    owner,
    <TooltipProvider>
      <SiteCreatePage />
      <Search />
    </TooltipProvider>,
    '/site/create?server=v2',
  )
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>('radio', { name: /^v2/ }).checked).toBe(true))
  expect((await screen.findByRole<HTMLInputElement>('textbox', { name: /^Name/ })).value).toBe('nord')
  // A reload or the way back chooses it again, as nobody has entered it.
  expect(screen.getByTestId('search').textContent).toBe('?server=v2')
  await user.click(screen.getByRole('radio', { name: /^v1/ }))
  expect(screen.getByTestId('search').textContent).toBe('')
  expect(screen.getByRole<HTMLInputElement>('radio', { name: /^v1/ }).checked).toBe(true)
})

test.each([
  [owner, true, '/server/create', 'The platform admin can'],
  [owner, false, undefined, 'The platform admin can'],
  [member, true, undefined, 'An admin of the organization can create one'],
])('without a server the form says who can do what: %#', async (session, ee, href, text) => {
  api.on('frappe.desk.search.search_link', () => ({ message: [] }))
  renderAs(
    { ...session, modules: { ee, wpc: false } },
    <TooltipProvider>
      <SiteCreatePage />
    </TooltipProvider>,
    '/site/create',
  )
  expect((await screen.findByText('No server is ready')).parentElement?.textContent).toContain(text)
  expect(screen.queryByRole('link', { name: 'Create a server' })?.getAttribute('href')).toBe(href)
})
