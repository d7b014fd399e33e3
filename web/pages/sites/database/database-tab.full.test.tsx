import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import type { DatabaseRows, DatabaseTables } from '#shared/responses/site-database.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { DatabaseTab } from './database-tab.tsx'

const api = apiServer()
const site = { name: 's1', domain: 'blog', site_type: 'wp', status: 'Live', server: 'srv' } as Site
const text = (value: string, cut = false) =>
  ({ kind: 'text', text: value, bytes: cut ? 9_000 : value.length, cut }) as const
const tables: DatabaseTables = {
  bytes: 8_192,
  omitted: 0,
  tables: [
    { name: 'wp_posts', rows: 120, more: false, bytes: 4_000, columns: 3 },
    { name: 'wp_log', rows: null, more: false, bytes: null, columns: 1 },
  ],
}
const page: DatabaseRows = {
  columns: [
    { name: 'ID', type: 'bigint(20)', key: true, hidden: false },
    { name: 'post_title', type: 'text', key: false, hidden: false },
    { name: 'user_pass', type: 'text', key: false, hidden: true },
  ],
  omitted: 0,
  rows: [
    {
      row: '7',
      cells: [
        { kind: 'number', text: '7', bytes: 8, cut: false },
        text('Long', true),
        { kind: 'hidden', text: '', bytes: 0, cut: false },
      ],
    },
    { row: '8', cells: [{ kind: 'number', text: '8', bytes: 8, cut: false }, null, null] },
    { row: '9', cells: [null, text('a:1:{s:4:"left";b:1;}'), null] },
  ],
  total: 120,
  more: false,
  last: false,
}
const called = (method: string) =>
  api.calls.filter(({ body }) => body['method'] === method).map(({ body }) => body['args'] as Record<string, unknown>)

let capabilities: Record<string, unknown>
beforeEach(() => {
  capabilities = {}
  api.on('run_doc_method', ({ body: { method, args } }) => {
    if (method === 'database_tables') return { message: tables }
    if (method === 'database_rows') return { message: page }
    if (method === 'database_cell') {
      const first = (args as { start: number }).start === 0
      return {
        message: { kind: 'text', text: first ? 'Long text, ' : 'and its end', bytes: 9_000, next: first ? 11 : null },
      }
    }
    return { message: null }
  })
  api.on('easydash.api.engine.capabilities', () => ({ message: { engine: 'local', php_versions: [], capabilities } }))
})

const open = () =>
  renderAs(
    owner,
    <TooltipProvider>
      <DatabaseTab site={site} />
    </TooltipProvider>,
  )

test('rows are sorted, filtered and paged by the server', async () => {
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: /^wp_posts/ }))
  const rows = await screen.findByRole('table', { name: 'Rows of wp_posts' })
  expect(screen.getByText('1–3 of 120')).toBeTruthy()
  expect(within(rows).getByText('NULL', { selector: 'td:nth-child(3) *' })).toBeTruthy()
  await user.click(within(rows).getByRole('button', { name: 'post_title' }))
  await waitFor(() => expect(called('database_rows').at(-1)).toMatchObject({ sort: 'post_title', descending: 0 }))
  await user.click(within(rows).getByRole('button', { name: 'post_title' }))
  await waitFor(() => expect(called('database_rows').at(-1)).toMatchObject({ sort: 'post_title', descending: 1 }))
  // A hidden column can't be sorted by.
  expect(within(rows).queryByRole('button', { name: 'user_pass' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Next' }))
  await waitFor(() => expect(called('database_rows').at(-1)).toMatchObject({ start: 50 }))
  const filter = screen.getByRole('form', { name: 'Filter rows' })
  expect(within(filter).queryByRole('option', { name: 'user_pass' })).toBeNull()
  await user.type(within(filter).getByLabelText('Value'), "it's")
  await user.click(within(filter).getByRole('button', { name: 'Filter' }))
  await waitFor(() =>
    expect(called('database_rows').at(-1)).toMatchObject({ start: 0, filter_column: 'ID', filter_value: "it's" }),
  )
})

test('a long value is loaded part after part', async () => {
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: /^wp_posts/ }))
  await user.click(await screen.findByRole('button', { name: 'Open row 1' }))
  const row = await screen.findByRole('dialog', { name: 'Row 1 of wp_posts' })
  await user.click(within(row).getByRole('button', { name: /^Show whole value/ }))
  await user.click(await within(row).findByRole('button', { name: 'Show more' }))
  expect(await within(row).findByText('Long text, and its end')).toBeTruthy()
  expect(called('database_cell').at(-1)).toEqual({ table: 'wp_posts', column: 'post_title', row: '7', start: 11 })
  expect(within(row).getByText('Hidden')).toBeTruthy()
})

test('a serialized value is shown as an outline, or as stored', async () => {
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: /^wp_posts/ }))
  await user.click(await screen.findByRole('button', { name: 'Open row 3' }))
  const row = await screen.findByRole('dialog', { name: 'Row 3 of wp_posts' })
  expect(within(row).getByText('array (1) "left": true')).toBeTruthy()
  await user.click(within(row).getByRole('button', { name: 'Show as stored' }))
  expect(within(row).getByText('a:1:{s:4:"left";b:1;}')).toBeTruthy()
})

test('an engine without it says why', async () => {
  capabilities = { database: { supported: false, reason: 'This server has none.' } }
  open()
  expect(await screen.findByText('This server has none.')).toBeTruthy()
})

test('a failure can be retried', async () => {
  api.on('run_doc_method', () => ({ status: 503, body: { exception: 'The site is busy.' } }))
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Retry' }))
  expect(screen.getByText('The site is busy.')).toBeTruthy()
})
