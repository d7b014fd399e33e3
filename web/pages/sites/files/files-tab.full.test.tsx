import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import type { FileEntry } from '#shared/responses/site-files.ts'
import { apiServer, type Call, type Reply } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { SiteFilesTab } from './files-tab.tsx'

const api = apiServer()
const site = { name: 's1', domain: 'blog', site_type: 'wp', status: 'Live', server: 'srv', engine: 'local' } as Site
const entry = (name: string, kind: FileEntry['kind'] = 'file'): FileEntry => ({ name, kind, size: 7, modified: 0 })
const listing = (...entries: FileEntry[]) => ({ entries, total: entries.length, next: null })
const conflict: Reply = {
  status: 409,
  body: { message: 'a.txt exists already.' },
}

let replies: Record<string, (args: Record<string, unknown>) => Reply>
beforeEach(() => {
  replies = {
    list_files: ({ folder }) => ({
      message:
        folder === ''
          ? listing(entry('wp-content', 'folder'), entry('a.txt'), entry('b.txt'), entry('link', 'other'))
          : listing(entry('database', 'folder'), entry('db.php')),
    }),
  }
  api.on('easydash.api.engine.capabilities', () => ({
    message: { engine: 'local', php_versions: [], capabilities: {} },
  }))
  api.on('run_doc_method', ({ body }: Call) => {
    const reply = replies[String(body['method'])]
    return reply?.((body['args'] ?? {}) as Record<string, unknown>) ?? { message: null }
  })
})

const actions = (name: string) =>
  api.calls.filter(({ body }) => body['method'] === name).map(({ body }) => body['args'] as Record<string, unknown>)
const open = (changes: Partial<Site> = {}) =>
  renderAs(
    owner,
    <TooltipProvider>
      <SiteFilesTab site={{ ...site, ...changes }} />
      <ToastArea />
    </TooltipProvider>,
  )
const table = () => screen.findByRole('table', { name: 'Files' })

test('folders are opened, and the path leads back', async () => {
  const { user } = open()
  await user.click(within(await table()).getByRole('button', { name: 'wp-content' }))
  await within(await table()).findByRole('button', { name: /^db\.php/ })
  // The database's own files say so, and nothing of them can be changed.
  expect(within(await table()).getAllByText(/Database of the site/)).toHaveLength(2)
  await user.click(screen.getByRole('button', { name: 'Actions for db.php' }))
  expect(screen.getByRole('menuitem', { name: /^Delete/ }).getAttribute('aria-disabled')).toBe('true')
  await user.keyboard('{Escape}')
  await user.click(within(screen.getByRole('navigation', { name: 'Path' })).getByRole('button', { name: 'Site' }))
  await within(await table()).findByRole('button', { name: /^a\.txt/ })
})

test.each(['File', 'Folder'])('a dialog of the menu “New” has the focus, and gives it back: %s', async (item) => {
  const { user } = open()
  await table()
  const button = screen.getByRole('button', { name: 'New' })
  await user.click(button)
  await user.click(await screen.findByRole('menuitem', { name: item }))
  const name = await screen.findByRole('textbox', { name: 'Name' })
  await waitFor(() => expect(document.activeElement).toBe(name))
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
  expect(document.activeElement).toBe(name)
  await user.keyboard('{Escape}')
  await waitFor(() => expect(document.activeElement).toBe(button))
})

test('each column has a name of its own', async () => {
  open()
  const heads = within(await table()).getAllByRole('columnheader')
  expect(heads.map(({ textContent }) => textContent)).toEqual(['', 'Name', 'Size', 'Changed', 'More actions'])
  expect(within(await table()).getByRole('checkbox', { name: 'Select all' })).toBeTruthy()
})

test('on a server they are files like any other', async () => {
  const { user } = open({ engine: 'ee' })
  await user.click(within(await table()).getByRole('button', { name: 'wp-content' }))
  await within(await table()).findByRole('button', { name: /^db\.php/ })
  expect(within(await table()).queryByText(/Database of the site/)).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Actions for db.php' }))
  expect(screen.getByRole('menuitem', { name: /^Delete/ }).getAttribute('aria-disabled')).not.toBe('true')
})

test('the keyboard moves, selects, renames and deletes', async () => {
  replies['delete_files'] = () => ({ message: { trash: 't1' } })
  replies['rename_file'] = () => conflict
  const { user } = open()
  const first = within(await table()).getByRole('button', { name: 'wp-content' })
  first.focus()
  await user.keyboard('{ArrowDown} {ArrowDown} ')
  expect(screen.getByText('2 selected')).toBeTruthy()
  await user.keyboard('{Delete}')
  await waitFor(() => expect(actions('delete_files')).toEqual([{ paths: ['a.txt', 'b.txt'] }]))
  expect(await screen.findByText('2 files and folders deleted')).toBeTruthy()
  replies['restore_files'] = () => ({ message: { paths: ['a.txt', 'b.txt'] } })
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(actions('restore_files')).toEqual([{ trash: 't1' }]))

  within(await table())
    .getByRole('button', { name: /^b\.txt/ })
    .focus()
  await user.keyboard('{F2}')
  const field = await screen.findByLabelText('New name')
  expect(field).toHaveProperty('value', 'b.txt')
  await user.clear(field)
  await user.type(field, 'a/b{Enter}')
  expect(await screen.findByText(/without slashes/)).toBeTruthy()
  await user.clear(field)
  await user.type(field, 'a.txt{Enter}')
  expect(await screen.findByText(/exists already/)).toBeTruthy()
  expect(actions('rename_file')).toEqual([{ path: 'b.txt', to: 'a.txt' }])
  delete replies['rename_file']
  await user.clear(field)
  await user.type(field, 'c.txt{Enter}')
  expect(await screen.findByText('b.txt is called c.txt now')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(actions('rename_file').at(-1)).toEqual({ path: 'c.txt', to: 'b.txt' }))
})

test('an upload over a file asks first', async () => {
  const { user } = open()
  await table()
  await user.upload(screen.getByLabelText('Files', { selector: 'input' }), new File(['x'], 'a.txt'))
  const dialog = await screen.findByRole('dialog', { name: 'Replace a.txt?' })
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))
  expect(screen.queryByText('Uploads')).toBeNull()
})

test('while a job works on the site, files are shown and not changed', async () => {
  const busy = { ...site, status: 'Updating' } as Site
  renderAs(
    owner,
    <TooltipProvider>
      <SiteFilesTab site={busy} />
    </TooltipProvider>,
  )
  await table()
  expect(screen.getByRole('button', { name: 'Upload' })).toHaveProperty('disabled', true)
  expect(screen.getByRole('button', { name: 'New' })).toHaveProperty('disabled', true)
})

test('a failed list says why, and is tried again', async () => {
  const works = replies['list_files']
  replies['list_files'] = () => ({ status: 417, body: { message: 'The files of the site are not available now.' } })
  const { user } = open()
  expect(await screen.findByText('The files did not load')).toBeTruthy()
  if (works) replies['list_files'] = works
  await user.click(screen.getByRole('button', { name: 'Retry' }))
  await table()
})
