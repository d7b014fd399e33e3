import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { hoursAgo } from '#tests/web/hours-ago.ts'
import { dataClient } from '#web/lib/api/data-client.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { BackupsPage } from './backups-page.tsx'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { api, counted, proven, shown, acted, open, openMenu } from '#tests/web/backups-tab.tsx'

const navigate = vi.hoisted(() => vi.fn())
vi.mock('react-router', async (original) => ({ ...(await original<object>()), useNavigate: () => navigate }))
beforeEach(() => void navigate.mockReset())

test('says of each backup whether it is full or needs the archives of others', async () => {
  shown.backups = [{ ...proven, needs: ['b0', 'a9'], stored_size: 12_000_000 }]
  open(owner, {}, '/site/s1?backup=b1#backupandrestore')
  expect(await screen.findByText(/stored$/)).toBeTruthy()
  const drawer = within(await screen.findByRole('dialog'))
  expect(await drawer.findByText('What changed; the rest is in the archives of 2 other backups')).toBeTruthy()
  shown.backups = [proven]
  await act(() => dataClient.invalidateQueries())
  expect(await screen.findByText('full')).toBeTruthy()
  expect(await drawer.findByText('Full backup')).toBeTruthy()
})

test('the details name the backup, and show the homepage if the proof took a screenshot', async () => {
  shown.backups = [{ ...proven, thumbnail: '/api/method/easydash.api.backups.thumbnail?backup=b1&v=1' }]
  open(owner, {}, '/site/s1?backup=b1#backupandrestore')
  const drawer = within(await screen.findByRole('dialog', { name: /^Backup of blog, \w{3} \d/ }))
  const figure = await drawer.findByRole('figure')
  expect(figure.querySelector('img')?.getAttribute('src')).toContain('backup=b1')
  shown.backups = [proven]
  await act(() => dataClient.invalidateQueries())
  await waitFor(() => expect(drawer.queryByRole('figure')).toBeNull())
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
  shown.backups = [{ ...proven, store: 'k1', status: 'Expired', error_message: 'It is locked.' }]
  open(owner, {}, '/site/s1?backup=b1#backupandrestore')
  const drawer = within(await screen.findByRole('dialog'))
  expect(await drawer.findByText('The archive was not deleted')).toBeTruthy()
  expect(drawer.getByText('It is locked.')).toBeTruthy()
  expect(await drawer.findByText('Archive')).toBeTruthy()
})

test('parts are chosen out of what is in the backup, and restored alone', async () => {
  api.on('run_doc_method', ({ body }) => {
    if (body['method'] === 'compare') return { message: counted }
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

test('counts of a backup and of its site stand side by side, or why there are none', async () => {
  const { user } = open()
  const compare = async () => {
    await openMenu(user)
    await user.click(screen.getByRole('menuitem', { name: 'Compare counts' }))
    return within(await screen.findByRole('dialog', { name: 'Compare counts of blog' }))
  }
  let dialog = await compare()
  expect(await dialog.findByRole('row', { name: 'Posts 12 14' })).toBeTruthy()
  expect(dialog.getByRole('row', { name: 'Files 2,930 2,931' })).toBeTruthy()
  // Nothing is known of it in the backup.
  expect(dialog.getByRole('row', { name: 'Users – 2' })).toBeTruthy()
  expect(dialog.getByText(/^Added or changed since then: 2 posts and pages,/)).toBeTruthy()
  await user.keyboard('{Escape}')
  const broken = { now: { files: 500 }, changed: { files: 0 }, is_whole: false }
  api.on('run_doc_method', () => ({ message: broken }))
  dataClient.clear()
  dialog = await compare()
  expect(await dialog.findByRole('row', { name: 'Posts 12 –' })).toBeTruthy()
  expect(dialog.getByRole('row', { name: 'Files 2,930 at least 500' })).toBeTruthy()
  expect(dialog.getByText(/WordPress of this site does not run at the moment/)).toBeTruthy()
  await user.keyboard('{Escape}')
  api.on('run_doc_method', () => ({ status: 503, body: { exc_type: 'ServiceUnavailableError' } }))
  dataClient.clear()
  dialog = await compare()
  expect(await dialog.findByText('The site was not counted')).toBeTruthy()
  expect(acted()).toEqual([])
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
    shown.backups = [{ ...proven, locked_by_job: 'j1', opened_by_job: 'j1', opened_until: until }]
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
  shown.backups = [{ ...proven, opened_by_job: 'j1', opened_until: until }]
  await act(() => dataClient.invalidateQueries())
  const link = await drawer.findByRole('link', { name: 'Visit the backup' })
  expect(link.getAttribute('href')).toBe('http://backup-1.localhost:8080')
  expect(link.getAttribute('target')).toBe('_blank')
  expect(drawer.getByText(/^Open until \d/)).toBeTruthy()
})

test('a pinned backup stays, another one is deleted after a question', async () => {
  shown.backups = [{ ...proven, pinned: 1 }]
  const { user, unmount } = open()
  await openMenu(user)
  expect(screen.getByRole('menuitem', { name: /^Delete/ }).getAttribute('aria-disabled')).toBe('true')
  unmount()
  dataClient.clear()
  shown.backups = [proven]
  const again = open().user
  await openMenu(again)
  await again.click(screen.getByRole('menuitem', { name: 'Delete…' }))
  await again.click(await screen.findByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(api.calls.filter(({ verb }) => verb === 'DELETE')).toHaveLength(1))
})

/** Opens the dialog for a backup of a site that is gone, of whose server `details` are known. */
async function openGone(details: object) {
  shown.backups = [{ ...proven, site: 'gone', server: 'srv9' }]
  api.on('frappe.desk.search.search_link', () => ({
    message: ['srv1', 'srv2'].map((value) => ({ value, label: `${value}.example`, description: '' })),
  }))
  api.on('frappe.client.get_value', ({ body }) => ({
    message: JSON.stringify(body['filters']).includes('srv9') ? details : { server_category: 'production' },
  }))
  const { user } = renderAs(
    owner,
    <TooltipProvider>
      <BackupsPage />
    </TooltipProvider>,
    '/site/backups',
  )
  expect(await screen.findByRole('columnheader', { name: 'Site' })).toBeTruthy()
  const row = await screen.findByRole('row', { name: /Before the launch/ })
  expect(within(row).getByText('blog')).toBeTruthy()
  const menu = within(await openMenu(user))
  expect(menu.queryByRole('menuitem', { name: 'Restore…' })).toBeNull()
  await user.click(menu.getByRole('menuitem', { name: 'Open as new site…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Restore blog' }))
  expect(dialog.queryByRole('radio')).toBeNull()
  const server = await dialog.findByLabelText('Server')
  await user.type(dialog.getByLabelText(/Name/), 'again')
  return { user, dialog, server }
}

test('backups of sites that are gone open as new sites on their own server, also beyond the first that are suggested', async () => {
  const { user, dialog, server } = await openGone({ hostname: 'web9.example', server_category: 'production' })
  await waitFor(() => expect(server).toHaveProperty('value', 'srv9'))
  expect(within(server).getByRole('option', { name: 'web9.example', selected: true })).toBeTruthy()
  await user.click(dialog.getByRole('button', { name: 'Create site' }))
  await waitFor(() => expect(navigate).toHaveBeenCalledWith('/site/s2?job=j1'))
  expect(acted()).toMatchObject([{ dn: 'b1', args: { target: 'new_site', domain: 'again', server: 'srv9' } }])
})

test('nothing is chosen in place of a server that is gone, too', async () => {
  const { user, dialog, server } = await openGone({})
  expect(server).toHaveProperty('value', '')
  await user.click(dialog.getByRole('button', { name: 'Create site' }))
  expect(await dialog.findByRole('alert')).toHaveProperty('textContent', 'Choose a server')
  expect(acted()).toEqual([])
  await user.selectOptions(server, 'srv2.example')
  await user.click(dialog.getByRole('button', { name: 'Create site' }))
  await waitFor(() => expect(acted()).toMatchObject([{ args: { domain: 'again', server: 'srv2' } }]))
})

test('among those of all sites, a backup is called what people call its site, with the address', async () => {
  shown.backups = [{ ...proven, site_title: 'Journal' } as typeof proven]
  renderAs(
    owner,
    <TooltipProvider>
      <BackupsPage />
    </TooltipProvider>,
    '/site/backups',
  )
  const row = within(await screen.findByRole('row', { name: /Before the launch/ }))
  expect(row.getByText('Journal')).toBeTruthy()
  expect(row.getByText('blog')).toBeTruthy()
  expect(row.getByRole('button', { name: /^Actions for Journal, / })).toBeTruthy()
})
