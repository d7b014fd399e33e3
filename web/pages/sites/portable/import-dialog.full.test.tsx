/// <reference types="node" />
import { screen } from '@testing-library/react'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { packFiles } from '#web/lib/upload/pack-files.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ImportDialog } from './import-dialog.tsx'

const api = apiServer()
const never = new AbortController().signal
const updraft = '# WordPress MySQL database backup\n# Created by UpdraftPlus version 1.24.3 (https://updraftplus.com)\n'
/** Begins like an archive of All-in-One WP Migration. */
const wpress = `package.json${'\0'.repeat(243)}120${'\0'.repeat(11)}1714557600\0\0.${'\0'.repeat(4095)}{}`

const wxr = `<?xml version="1.0"?>\n<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel/></rss>`

function setup(dropped: readonly File[] = []) {
  api.on(':method', () => ({ message: [] }))
  api.on('frappe.client.get_count', () => ({ message: 0 }))
  return renderAs(
    owner,
    <TooltipProvider>
      <ImportDialog dropped={dropped} onClose={() => undefined} />
    </TooltipProvider>,
    '/site',
  )
}
/** A ZIP archive with files of these names. */
const zipOf = (...names: string[]) =>
  packFiles(
    names.map((name) => new File(['x'], name)),
    'any.zip',
    never,
  )
const dump = (name = 'backup_a-db.gz') => new File([new Uint8Array(gzipSync(updraft))], name)

test.each([
  ['an export of Easydash', () => zipOf('files/wp-content/x.php', 'database.sql', 'manifest.json')],
  ['an archive of Duplicator', () => zipOf('wp-content/x.php', 'dup-installer/dup-database__1-2.sql')],
  ['a backup of UpdraftPlus', () => zipOf('backup_a-db.gz', 'backup_a-plugins.zip')],
  ['a ZIP file with a WordPress', () => zipOf('public_html/wp-content/x.php', 'dump.sql')],
  ['a ZIP file', () => zipOf('index.html')],
  [
    'a WordPress export (WXR): content without themes and plugins. Media files are fetched from the original site.',
    async () => new File([wxr], 'site.zip'),
  ],
  ['an archive of All-in-One WP Migration', async () => new File([wpress], 'site.zip')],
  ['an archive of Duplicator', async () => new File(['<A><V>5.0.1</V>'], 'site.zip')],
])('%s is recognized by its content, whatever it is called', async (format, make) => {
  const made = await make()
  setup([new File([made], 'My site.tar')])
  expect(await screen.findByText(`Recognized as ${format}`)).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
  expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('my-site')
})

test('all files of a backup are one choice', async () => {
  const { user } = setup()
  const files = [dump(), await zipOf('plugins/a.php'), await zipOf('uploads/a.png')]
  await user.upload(screen.getByLabelText('Archive', { selector: 'input' }), files)
  expect(await screen.findByText('Recognized as a backup of UpdraftPlus')).toBeTruthy()
  expect(screen.getByText('backup_a-db.gz')).toBeTruthy()
})

test.each([
  ['several files', [new File(['x'], 'a.zip'), new File(['x'], 'b.zip')], /^Choose one archive at a time/],
  ['two backups', [dump(), dump('backup_b-db.gz')], /several backups/],
  ['only the database', [dump()], /only the database/],
  ['something else', [new File(['text'], 'site.zip')], /no archive that can be imported/],
  ['another gzip file', [new File([new Uint8Array(gzipSync('text'))], 'site.zip')], /no archive that can be/],
  ['nothing', [new File([], 'site.zip')], /^The file is empty/],
])('%s is refused before anything is sent', async (_what, files, message) => {
  const { user } = setup(files)
  expect((await screen.findByRole('alert')).textContent).toMatch(/^Nothing was imported/)
  expect(screen.getByText(message)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Import site' }))
  expect(screen.getByText(message)).toBeTruthy()
  expect(api.calls.filter(({ name }) => name.includes('upload'))).toEqual([])
})

test('without a file it asks for one', async () => {
  const { user } = setup()
  await user.type(screen.getByLabelText(/^Name/), 'site')
  await user.click(screen.getByRole('button', { name: 'Import site' }))
  expect(await screen.findByText('Choose an archive.')).toBeTruthy()
})

test.each([
  ['can be chosen', { supported: true }, false],
  ['says why it can’t be chosen', { supported: false, reason: 'MySQL is not installed.' }, true],
])('the database of the new site: MySQL %s', async (_what, mysql, isDisabled) => {
  const { user } = setup()
  api.on('frappe.desk.search.search_link', () => ({ message: [{ value: 's0', label: 'web', description: '' }] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities: { mysql } } }))
  const option = await screen.findByRole<HTMLInputElement>('radio', { name: /^MySQL/ })
  expect(screen.getByRole<HTMLInputElement>('radio', { name: /^SQLite/ }).checked).toBe(true)
  await user.click(option)
  expect(option.checked).toBe(!isDisabled)
  expect(screen.queryByText('MySQL is not installed.') !== null).toBe(isDisabled)
})

test.each([
  ['backup_2024-05-01-1200_My_Shop_0123456789ab-db.gz', 'my-shop'],
  ['20240501_myshop_0123456789abcdef0123_20240501120000_archive.zip', 'myshop'],
  ['www.example.com-20240501-120000-a1b2c3.wpress', 'www-example-com'],
  ['Bäckerei Nord.zip', 'backerei-nord'],
])('the name of %s suggests one for the site', async (file, name) => {
  setup([new File(['x'], file)])
  await screen.findByRole('alert')
  expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe(name)
})
