import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { apiServer, type Reply } from '#tests/web/api.ts'
import { member, owner, renderAs, type Rendered } from '#tests/web/screen.tsx'
import { dataClient, refetch } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { clearToasts, useToasts } from '#web/lib/browser/toasts.ts'
import { PathParams } from '#web/lib/routing/route-match.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { SitePage } from './site-page.tsx'

const api = apiServer()
const opened = () => api.calls.filter(({ name }) => name === 'run_doc_method').map(({ body }) => body['method'])

function Toasts() {
  const toasts = useToasts().history.map(({ title, description }) => `${title}: ${description ?? ''}`)
  return <p data-testid="toasts">{toasts}</p>
}
/** Renders the page of a site; resolves when all its requests are completed. */
async function setup(site: object = {}, session = owner): Promise<Rendered> {
  const doc = { name: 's1', domain: 'blog', site_type: 'wp', status: 'Live', url: 'http://blog.localhost', ...site }
  api.on('resource/Site/s1', () => ({ data: doc }))
  const rendered = renderAs(
    session,
    <TooltipProvider>
      <PathParams value={{ site: 's1' }}>
        <SitePage />
        <Toasts />
      </PathParams>
    </TooltipProvider>,
    '/site/s1',
  )
  await screen.findByRole('heading', { level: 1, name: 'blog' })
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  return rendered
}
const button = () => screen.queryByRole('button', { name: /^Open admin/ })
const pressL = () => act(async () => void fireEvent.keyDown(document, { key: 'l' }))
const toasts = () => screen.getByTestId('toasts').textContent

beforeEach(() => {
  clearToasts()
  vi.spyOn(window, 'open').mockReturnValue(null)
  vi.spyOn(location, 'assign').mockImplementation(() => undefined)
  api.on(':method', () => ({ message: [] }))
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  api.on('frappe.client.get_count', () => ({ message: 0 }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1, share: 1 } } }))
  api.on('run_doc_method', ({ body }) => ({
    message: body['method'] === 'login_link' ? { url: 'http://blog.localhost/wp-admin' } : null,
  }))
})
afterEach(() => vi.restoreAllMocks())

test('the admin opens with its button and with the L key', async () => {
  const { user } = await setup()
  const open = button()
  if (open) await user.click(open)
  await waitFor(() => expect(location.assign).toHaveBeenCalledTimes(1))
  await waitFor(() => expect(button()?.hasAttribute('aria-busy')).toBe(false))
  await pressL()
  await waitFor(() => expect(location.assign).toHaveBeenCalledTimes(2))
  expect(opened()).toEqual(['login_link', 'login_link'])
  expect(toasts()).toBe('')
  expect(screen.getByText(/logs you in as your own WordPress user/)).toBeTruthy()
})

test('what a site runs is said on each tab once', async () => {
  const { user } = await setup({ wordpress_version: '6.9.1', php_version: '8.4' })
  const shown = () => ['WordPress 6.9.1', 'PHP 8.4'].map((text) => screen.queryAllByText(text).length)
  expect(shown()).toEqual([1, 1])
  await user.click(screen.getByRole('tab', { name: 'Activity' }))
  await waitFor(() => expect(screen.queryByRole('heading', { name: 'Details' })).toBeNull())
  expect(shown()).toEqual([1, 1])
})

test.each([
  ['Live', true],
  ['Archived', false],
  ['Restoring', false],
])('a site that is %s has an admin to open, and advice to update it: %s', async (status, has) => {
  window.easydash = { wordpress_version: '6.9.1' }
  onTestFinished(() => void delete window.easydash)
  await setup({ status, health: 'Asleep', wordpress_version: '6.5', disk_used: 19_900_000 })
  const open = button()
  expect(open !== null && open.getAttribute('aria-disabled') !== 'true').toBe(has)
  expect(document.body.textContent.includes('6.9.1')).toBe(has)
})

test('a page whose site should have been checked again reads it again, because no event says so', async () => {
  const reads = async (minutes: number) => {
    const checked = new Date(Date.now() - minutes * 60_000).toISOString().replace('T', ' ').slice(0, -1)
    const before = api.calls.length
    const { unmount } = await setup({ health: 'Up', health_checked_at: checked })
    unmount()
    dataClient.clear()
    return api.calls.slice(before).filter(({ name }) => name === 'resource/Site/s1').length
  }
  expect([await reads(0.5), await reads(3)]).toEqual([1, 2])
})

test('who cannot open the admin reads nothing of a user of their own', async () => {
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 0, share: 0 } } }))
  await setup({ owner: 'somebody@else.example' }, member)
  expect(screen.queryByText(/your own WordPress user/)).toBeNull()
  // Nor does a menu wait for them that has nothing for them.
  expect(screen.queryByRole('button', { name: 'More actions' })).toBeNull()
})

test('while it is unavailable, button and key show the reason', async () => {
  const { user } = await setup({ locked_by_job: 'j1' })
  const reason = button()?.getAttribute('title')
  expect(button()?.getAttribute('aria-disabled')).toBe('true')
  expect(reason).toMatch(/job/)
  const open = button()
  if (open) await user.click(open)
  expect(toasts()).toBe(`The admin cannot be opened now: ${reason}`)
  act(clearToasts)
  await pressL()
  expect(toasts()).toContain(reason)
  expect(opened()).toEqual([])
})

test('a site without WordPress has no admin, and the key does nothing', async () => {
  api.on('run_doc_method', ({ body }) => ({
    message: body['method'] === 'files_folder' ? { folder: '/data/s1/www' } : {},
  }))
  await setup({ site_type: 'html' })
  expect(button()).toBeNull()
  expect(await screen.findByText('/data/s1/www')).toBeTruthy()
  await pressL()
  expect(opened().filter((method) => method !== 'files_folder')).toEqual([])
  expect(toasts()).toBe('')
})

test('the folder of its files can be copied, and is shown to those only who can change the site', async () => {
  api.on('run_doc_method', ({ body }) => ({
    message: body['method'] === 'files_folder' ? { folder: '/data/s1/www' } : {},
  }))
  const { user, unmount } = await setup({ site_type: 'php' })
  await user.click(await screen.findByRole('button', { name: 'Copy Folder' }))
  expect(await navigator.clipboard.readText()).toBe('/data/s1/www')
  unmount()
  dataClient.clear()
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 0, share: 0 } } }))
  await setup({ site_type: 'php', owner: 'somebody@else.example' }, member)
  expect(screen.queryByText('/data/s1/www')).toBeNull()
})

test('a network says which kind it is, and nothing stands there that is empty', async () => {
  const { unmount } = await setup({ multisite: 'subdom' })
  expect(screen.getByText('Network with subdomains')).toBeTruthy()
  expect(screen.getByRole('heading', { name: 'Access' })).toBeTruthy()
  unmount()
  dataClient.clear()
  await setup({ site_type: 'php' }, member)
  expect(screen.queryByText(/Network with/)).toBeNull()
  expect(screen.queryByRole('heading', { name: 'Access' })).toBeNull()
})

test.each<[string, Reply, string]>([
  ['it is no longer shared', { status: 403, body: { exception: 'No' } }, 'The site did not load'],
  ['nobody answers', 'none', 'blog'],
])('when %s, the page reports it', async (_why, reply, title) => {
  await setup()
  const before = api.calls.length
  api.on('resource/Site/s1', () => reply)
  await act(() => refetch(docKey('Site', 's1')))
  expect(api.calls.length).toBeGreaterThan(before)
  expect(await screen.findByRole('heading', { level: 1, name: title })).toBeTruthy()
})

test('a tab opened by its address asks nothing of the site before it is known what the user may do', async () => {
  const supported = { supported: true }
  api.on('easydash.api.engine.capabilities', () => ({
    message: { capabilities: { logs: supported, files: supported } },
  }))
  const rights = Promise.withResolvers<Reply>()
  api.on('frappe.client.get_doc_permissions', () => rights.promise)
  api.on('resource/Site/s1', () => ({
    data: { name: 's1', domain: 'blog', site_type: 'wp', status: 'Live', server: 'x' },
  }))
  location.hash = '#files'
  renderAs(
    member,
    <TooltipProvider>
      <PathParams value={{ site: 's1' }}>
        <SitePage />
      </PathParams>
    </TooltipProvider>,
    '/site/s1#files',
  )
  await waitFor(() =>
    expect(api.calls.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['easydash.api.engine.capabilities', 'frappe.client.get_doc_permissions']),
    ),
  )
  expect(screen.queryByRole('tab')).toBeNull()
  rights.resolve({ message: { permissions: { read: 1, write: 0, share: 0 } } })
  await screen.findByRole('tab', { name: 'Overview' })
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  expect(screen.queryByRole('tab', { name: 'Files' })).toBeNull()
  expect(opened()).toEqual([])
})

test.each(['backupandrestore', 'backups'])('#%s opens the backups', async (hash) => {
  api.on('resource/Site/s1', () => ({ data: { name: 's1', domain: 'blog', site_type: 'html', status: 'Live' } }))
  renderAs(
    owner,
    <TooltipProvider>
      <PathParams value={{ site: 's1' }}>
        <SitePage />
      </PathParams>
    </TooltipProvider>,
    `/site/s1#${hash}`,
  )
  const tab = await screen.findByRole('tab', { name: 'Backup and restore' })
  expect(tab.getAttribute('aria-selected')).toBe('true')
  expect(await screen.findByRole('heading', { name: 'Backups' })).toBeTruthy()
})

test.each([
  ['files', { owner: 'somebody@else.example' }, { read: 1, write: 0, share: 0 }, /^You need access to edit this site/],
  [
    'files',
    { status: 'Archived' },
    { read: 1, write: 1, share: 1 },
    'It opens when the site is live. Status now: Archived.',
  ],
  ['wordpress', { site_type: 'html' }, { read: 1, write: 1, share: 1 }, 'Only WordPress sites have it.'],
] as const)('a link to a tab that is not shown says why: #%s', async (hash, site, permissions, reason) => {
  api.on('resource/Site/s1', () => ({
    data: { name: 's1', domain: 'blog', site_type: 'wp', status: 'Live', owner: member.user, ...site },
  }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions } }))
  const { user } = renderAs(
    member,
    <TooltipProvider>
      <PathParams value={{ site: 's1' }}>
        <SitePage />
      </PathParams>
    </TooltipProvider>,
    `/site/s1#${hash}`,
  )
  expect(await screen.findByText(reason)).toBeTruthy()
  expect(
    screen.getByText(hash === 'files' ? '“Files” is not available here' : '“WordPress” is not available here'),
  ).toBeTruthy()
  await user.click(screen.getByRole('tab', { name: 'Backup and restore' }))
  await waitFor(() => expect(screen.queryByText(reason)).toBeNull())
})
