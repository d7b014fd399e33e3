import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { hoursAgo } from '#tests/web/hours-ago.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient } from '#web/lib/api/data-client.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { BackupsTab } from './backups-tab.tsx'

const navigate = vi.hoisted(() => vi.fn())
vi.mock('react-router', async (original) => ({ ...(await original<object>()), useNavigate: () => navigate }))

const api = apiServer()
const site = {
  name: 's1',
  organization: 'acme',
  domain: 'blog',
  site_type: 'wp',
  status: 'Live',
  server: 'srv',
} as Site
const proven: Partial<SiteBackup> = {
  name: 'b1',
  site: 's1',
  site_domain: 'blog',
  site_type: 'wp',
  status: 'Ready',
  kind: 'manual',
  proof: 'Proven',
  proof_detail: [],
  proof_seen: [
    { what: 'visited', expected: 5, found: 5 },
    { what: 'files', expected: 2930, found: 2930 },
  ],
  proved_at: hoursAgo(2),
  taken_at: hoursAgo(3),
  creation: hoursAgo(3),
  size: 412 * 1_048_576,
  store: 'local',
  counts: { pages: 5, posts: 12, files: 2930 },
  note: 'Before the launch',
  pinned: 0,
}
let backups: readonly Partial<SiteBackup>[]
const acted = () => api.calls.filter(({ name }) => name === 'run_doc_method').map(({ body }) => body)
const open = (session = owner, more: Partial<Site> = {}, at = '/site/s1#backupandrestore') =>
  renderAs(
    session,
    <TooltipProvider>
      <BackupsTab site={{ ...site, ...more }} />
    </TooltipProvider>,
    at,
  )
const openMenu = async (user: ReturnType<typeof open>['user']) => {
  await user.click(await screen.findByRole('button', { name: 'Actions for blog' }))
  return screen.findByRole('menu')
}

beforeEach(() => {
  navigate.mockReset()
  backups = [proven]
  api.on(':method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities: {} } }))
  api.on('frappe.client.get_count', () => ({ message: 7 }))
  api.on('frappe.client.get_list', ({ body }) => ({ message: body['doctype'] === 'Site Backup' ? backups : [] }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1 } } }))
  api.on('resource/:doctype/:name', ({ verb }) => ({ data: verb === 'DELETE' ? 'ok' : backups[0] }))
  api.on('easydash.api.backups.stores', () => ({
    message: {
      default: 'k1',
      stores: [
        { store: 'local', label: null, status: null, usage: null, unknown: null },
        { store: 'k1', label: 'Archive', status: 'Connected', usage: null, unknown: null },
      ],
    },
  }))
  api.on('run_doc_method', () => ({ message: { job: 'j1', site: 's2' } }))
})

test('says what was proven, and what each backup is worth', async () => {
  open()
  expect(await screen.findByText('Proven 2 hours ago')).toBeTruthy()
  expect(screen.getByText('5 visited pages, 2,930 files were compared')).toBeTruthy()
  const row = within(await screen.findByRole('row', { name: /Before the launch/ }))
  for (const text of ['Manual', '412 MB', 'Proven', 'Ready']) expect(row.getByText(text)).toBeTruthy()
  expect(api.calls.find(({ body }) => body['doctype'] === 'Site Backup')?.body['filters']).toContainEqual([
    'site',
    '=',
    's1',
  ])
})

test('says of each backup whether it is full or needs the archives of others', async () => {
  backups = [{ ...proven, needs: ['b0', 'a9'], stored_size: 12_000_000 }]
  open(owner, {}, '/site/s1?backup=b1#backupandrestore')
  expect(await screen.findByText(/stored$/)).toBeTruthy()
  const drawer = within(await screen.findByRole('dialog'))
  expect(await drawer.findByText('What changed; the rest is in the archives of 2 other backups')).toBeTruthy()
  backups = [proven]
  await act(() => dataClient.invalidateQueries())
  expect(await screen.findByText('full')).toBeTruthy()
  expect(await drawer.findByText('Full backup')).toBeTruthy()
})

test('a backup goes where the organization’s go, or where somebody wants it', async () => {
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Back up now…' }))
  const dialog = within(await screen.findByRole('dialog'))
  const store = await dialog.findByLabelText('Stored at')
  expect(within(store).getByRole('option', { name: 'The organization’s: Archive', selected: true })).toBeTruthy()
  await user.selectOptions(store, 'This installation')
  await user.click(dialog.getByRole('button', { name: 'Back up' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(acted()).toMatchObject([{ dt: 'Site', dn: 's1', method: 'backup', args: { store: 'local' } }])
})

test('a store that refuses to delete an archive is named, with its reason', async () => {
  backups = [{ ...proven, store: 'k1', status: 'Expired', error_message: 'It is locked.' }]
  open(owner, {}, '/site/s1?backup=b1#backupandrestore')
  const drawer = within(await screen.findByRole('dialog'))
  expect(await drawer.findByText('The archive was not deleted')).toBeTruthy()
  expect(drawer.getByText('It is locked.')).toBeTruthy()
  expect(await drawer.findByText('Archive')).toBeTruthy()
})

test('a backup that failed its proof is never shown as good: its defects are named, with what shows them', async () => {
  backups = [
    {
      ...proven,
      proof: 'Failed',
      proof_detail: [{ defect: 'The homepage is another one', evidence: '500 instead of 200' }],
    },
  ]
  api.on('frappe.client.get_list', ({ body }) => ({
    message: JSON.stringify(body['filters']).includes('"proof"') ? [] : backups,
  }))
  open(owner, {}, '/site/s1?backup=b1#backupandrestore')
  const drawer = within(await screen.findByRole('dialog'))
  expect(await drawer.findByText('The homepage is another one')).toBeTruthy()
  expect(drawer.getByText('500 instead of 200')).toBeTruthy()
  expect(await screen.findByText('The newest one failed its proof')).toBeTruthy()
  expect(screen.queryByText('Proven')).toBeNull()
})

test('a restore in place says what is lost, and starts only with the typed name', async () => {
  const { user } = open()
  await openMenu(user)
  await user.click(screen.getByRole('menuitem', { name: 'Restore…' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText(/Everything that changed since then is lost/)).toBeTruthy()
  expect(await dialog.findByText('The activity log has 7 entries about this site since then.')).toBeTruthy()
  await user.click(dialog.getByRole('radio', { name: 'Files' }))
  expect(dialog.getByText(/The database stays/)).toBeTruthy()
  const button = dialog.getByRole('button', { name: 'Restore' })
  expect(button).toHaveProperty('disabled', true)
  await user.type(dialog.getByLabelText('Type blog to confirm'), 'blog')
  await user.click(button)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(acted()).toMatchObject([
    {
      dt: 'Site Backup',
      dn: 'b1',
      method: 'restore',
      args: { target: 'in_place', what: 'files' },
    },
  ])
})

test('parts are chosen out of what is in the backup, and restored alone', async () => {
  api.on('run_doc_method', ({ body }) => {
    if (body['method'] !== 'contents') return { message: { job: 'j1', site: 's1' } }
    const { folder } = body['args'] as { folder: string }
    const file = (name: string) => ({ name, is_folder: false, files: 1, size: 2048 })
    return folder === ''
      ? {
          message: {
            entries: [{ name: 'wp-content', is_folder: true, files: 2, size: 4096 }, file('wp-config.php')],
            tables: [{ name: 'wp_posts', rows: 12 }],
            more: 0,
          },
        }
      : { message: { entries: [file('a.txt'), file('b.txt')], tables: [], more: 3 } }
  })
  const { user } = open()
  await openMenu(user)
  await user.click(screen.getByRole('menuitem', { name: 'Restore…' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(dialog.getByRole('radio', { name: 'Parts…' }))
  expect(dialog.getByText(/Everything else stays/)).toBeTruthy()
  expect(await dialog.findByText('12 rows')).toBeTruthy()
  // It belongs to the machine of the site.
  expect(dialog.getByRole('checkbox', { name: 'File wp-config.php' })).toHaveProperty('disabled', true)
  await user.click(dialog.getByRole('checkbox', { name: 'Table wp_posts' }))
  await user.click(dialog.getByRole('button', { name: 'wp-content' }))
  await user.click(await dialog.findByRole('checkbox', { name: 'File b.txt' }))
  expect(dialog.getByText('3 more files: choose the folder to restore them.')).toBeTruthy()
  await user.type(dialog.getByLabelText('Type blog to confirm'), 'blog')
  const button = dialog.getByRole('button', { name: 'Restore' })
  await user.click(dialog.getByRole('button', { name: 'Site' }))
  // A folder takes the place of what was chosen in it.
  await user.click(await dialog.findByRole('checkbox', { name: 'Folder wp-content' }))
  expect(dialog.getAllByRole('button', { name: /from the choice/ })).toHaveLength(2)
  await user.click(button)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(acted().at(-1)).toMatchObject({
    method: 'restore',
    args: { target: 'in_place', parts: ['table:wp_posts', 'wp-content'] },
  })
})

test('a backup opens as a new site, whose page is shown; one of an archived site cannot do anything else', async () => {
  const { user } = open(owner, { status: 'Archived' })
  await openMenu(user)
  await user.click(screen.getByRole('menuitem', { name: 'Open as new site…' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByRole('radio', { name: /In place/ })).toHaveProperty('disabled', true)
  await user.type(dialog.getByLabelText(/Name/), 'again')
  await user.click(dialog.getByRole('button', { name: 'Create site' }))
  await waitFor(() => expect(navigate).toHaveBeenCalledWith('/site/s2?job=j1'))
  expect(acted()).toMatchObject([{ method: 'restore', args: { target: 'new_site', domain: 'again' } }])
})

test('a backup opens for who can read the site: progress, then a link to it, and until when', async () => {
  const until = `${hoursAgo(-0.5)}000`
  api.on('run_doc_method', () => {
    backups = [{ ...proven, locked_by_job: 'j1', opened_by_job: 'j1', opened_until: until }]
    return { message: { job: 'j1', url: 'http://backup-1.localhost:8080', until } }
  })
  const { user } = open(member, {}, '/site/s1?backup=b1#backupandrestore')
  const drawer = within(await screen.findByRole('dialog'))
  await user.click(await drawer.findByRole('button', { name: 'Open' }))
  expect(await drawer.findByText('Opening the backup')).toBeTruthy()
  expect(drawer.queryByRole('link')).toBeNull()
  expect(acted()).toMatchObject([{ dt: 'Site Backup', dn: 'b1', method: 'open' }])
  // Its verdict stays what it is.
  expect(drawer.getByText('Proven')).toBeTruthy()
  backups = [{ ...proven, opened_by_job: 'j1', opened_until: until }]
  await act(() => dataClient.invalidateQueries())
  const link = await drawer.findByRole('link', { name: 'Visit the backup' })
  expect(link.getAttribute('href')).toBe('http://backup-1.localhost:8080')
  expect(link.getAttribute('target')).toBe('_blank')
  expect(drawer.getByText(/^Open until \d/)).toBeTruthy()
})

test('a backup that did not open never shows a link', async () => {
  api.on('run_doc_method', () => ({ message: { job: 'j1', url: 'http://x.localhost', until: `${hoursAgo(-0.5)}000` } }))
  const { user } = open(owner, {}, '/site/s1?backup=b1#backupandrestore')
  const drawer = within(await screen.findByRole('dialog'))
  await user.click(await drawer.findByRole('button', { name: 'Open' }))
  expect(await drawer.findByText('The backup was not opened')).toBeTruthy()
  expect(drawer.queryByRole('link')).toBeNull()
  await user.click(drawer.getByRole('button', { name: 'Show why' }))
  expect(navigate).toHaveBeenCalledWith(expect.objectContaining({ search: '?backup=b1&job=j1' }), { replace: false })
})

test('a pinned backup stays, another one is deleted after a question', async () => {
  backups = [{ ...proven, pinned: 1 }]
  const { user, unmount } = open()
  await openMenu(user)
  expect(screen.getByRole('menuitem', { name: /^Delete/ }).getAttribute('aria-disabled')).toBe('true')
  unmount()
  dataClient.clear()
  backups = [proven]
  const again = open().user
  await openMenu(again)
  await again.click(screen.getByRole('menuitem', { name: 'Delete…' }))
  await again.click(await screen.findByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(api.calls.filter(({ verb }) => verb === 'DELETE')).toHaveLength(1))
})

test('after a restore the state before can be had back', async () => {
  const restored = { restored_from: 'b1', restored_at: '2024-05-01 12:00:00', restored_kept_size: 3 * 1_048_576 }
  const { user } = open(owner, restored)
  expect(await screen.findByText(/which is kept until May 8, 2024.* It takes 3 MB/)).toBeTruthy()
  await user.click(await screen.findByRole('button', { name: 'Undo the restore…' }))
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: /Undo/ }))
  await waitFor(() => expect(acted()).toMatchObject([{ dn: 'b1', method: 'undo_restore' }]))
})

test('who can only read the site sees its backups, and does nothing with them', async () => {
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 0 } } }))
  const { user } = open(member, { restored_from: 'b1', restored_at: hoursAgo(1) })
  expect(await screen.findByText('Proven 2 hours ago')).toBeTruthy()
  await openMenu(user)
  await waitFor(() =>
    expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual(['Details']),
  )
  expect(screen.queryByRole('button', { name: /Back up now|Undo/ })).toBeNull()
})
