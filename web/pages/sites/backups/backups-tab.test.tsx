import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { hoursAgo } from '#tests/web/hours-ago.ts'
import { member, owner } from '#tests/web/screen.tsx'
import { api, proven, shown, acted, open, openMenu } from '#tests/web/backups-tab.tsx'

const navigate = vi.hoisted(() => vi.fn())
vi.mock('react-router', async (original) => ({ ...(await original<object>()), useNavigate: () => navigate }))
beforeEach(() => void navigate.mockReset())

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

test('a backup that failed its proof is never shown as good: its defects are named, with what shows them', async () => {
  shown.backups = [
    {
      ...proven,
      proof: 'Failed',
      proof_detail: [{ defect: 'The homepage is another one', evidence: '500 instead of 200' }],
    },
  ]
  api.on('frappe.client.get_list', ({ body }) => ({
    message: JSON.stringify(body['filters']).includes('"proof"') ? [] : shown.backups,
  }))
  open(owner, {}, '/site/s1?backup=b1#backupandrestore')
  const drawer = within(await screen.findByRole('dialog'))
  expect(await drawer.findByText('The homepage is another one')).toBeTruthy()
  expect(drawer.getByText('500 instead of 200')).toBeTruthy()
  expect(await screen.findByText('The newest one failed its proof')).toBeTruthy()
  expect(screen.queryByText('Proven')).toBeNull()
})

test('each backup is named by its time, not only by the domain that all of them have', async () => {
  shown.backups = [proven, { ...proven, name: 'b2', taken_at: '2024-05-02 12:00:00.000000' }]
  open()
  const menus = await screen.findAllByRole('button', { name: /^Actions for blog, / })
  expect(new Set(menus.map((menu) => menu.getAttribute('aria-label'))).size).toBe(2)
})

test('a restore in place says what is lost, and starts only with the typed name', async () => {
  const { user } = open()
  await openMenu(user)
  await user.click(screen.getByRole('menuitem', { name: 'Restore…' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText(/Everything that changed since then is lost/)).toBeTruthy()
  expect(await dialog.findByText('The activity log has 7 entries about this site since then.')).toBeTruthy()
  const changed = 'Added or changed since then: 2 posts and pages, 1 order, 1 user, 4 files.'
  expect(await dialog.findByText(changed)).toBeTruthy()
  await user.click(dialog.getByRole('radio', { name: 'Files' }))
  expect(dialog.getByText('Added or changed since then: 4 files.')).toBeTruthy()
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

test('where a restore does not try the backup out itself, one that is not proven can be tried out before', async () => {
  shown.backups = [{ ...proven, proof: 'Not Tested' }]
  const rehearse = { supported: false, reason: 'Not there.' }
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities: { rehearse } } }))
  const { user } = open()
  await openMenu(user)
  await user.click(screen.getByRole('menuitem', { name: 'Restore…' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(await dialog.findByRole('button', { name: 'Test it on the machine of Easydash first' }))
  await waitFor(() => expect(acted()).toMatchObject([{ dn: 'b1', method: 'prove' }]))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
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

test('after a restore the state before can be had back', async () => {
  const restored = { restored_from: 'b1', restored_at: '2024-05-01 12:00:00', restored_kept_size: 3 * 1_048_576 }
  const { user } = open(owner, restored)
  expect(await screen.findByText(/which is kept until May 8, 2024.* It takes 3 MB/)).toBeTruthy()
  await user.click(await screen.findByRole('button', { name: 'Undo the restore…' }))
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: /Undo/ }))
  await waitFor(() => expect(acted()).toMatchObject([{ dn: 'b1', method: 'undo_restore' }]))
})

test('a member who may edit the site is offered what its backups allow, which nobody may edit themselves', async () => {
  api.on('frappe.client.get_doc_permissions', ({ body }) => ({
    message: { permissions: { read: 1, write: body['doctype'] === 'Site' ? 1 : 0 } },
  }))
  const { user } = open(member)
  await screen.findByRole('button', { name: 'Back up now…' })
  const menu = await openMenu(user)
  await waitFor(() =>
    expect(api.calls.filter(({ name }) => name === 'frappe.client.get_doc_permissions')).toHaveLength(1),
  )
  for (const name of ['Restore…', 'Open as new site…', 'Compare counts', 'Download', 'Test restore', 'Pin'])
    expect(within(menu).getByRole('menuitem', { name })).toBeTruthy()
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
  expect(screen.queryByRole('checkbox')).toBeNull()
})

test('a backup of EasyEngine is restored in place and whole only, and the dialog says what the way back is', async () => {
  shown.backups = [{ ...proven, kind: 'imported', store: 'easyengine', proof: 'Not Tested' }]
  const { user } = open()
  await openMenu(user)
  const newSite = screen.getByRole('menuitem', { name: /^Open as new site/ })
  expect(newSite.getAttribute('aria-disabled')).toBe('true')
  await user.click(screen.getByRole('menuitem', { name: 'Restore…' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByRole('radio', { name: /^As a new site/ })).toHaveProperty('disabled', true)
  expect(dialog.queryByRole('radio', { name: 'Files' })).toBeNull()
  expect(dialog.getByText(/the site is backed up first, always/)).toBeTruthy()
  expect(dialog.queryByRole('button', { name: /Test it/ })).toBeNull()
  await user.type(dialog.getByLabelText('Type blog to confirm'), 'blog')
  await user.click(dialog.getByRole('button', { name: 'Restore' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(acted()).toMatchObject([{ dn: 'b1', method: 'restore', args: { target: 'in_place', what: 'all' } }])
})
