import { screen, waitFor, within } from '@testing-library/react'
import { useLocation } from 'react-router'
import { expect, it } from 'vitest'
import type { BulkRow } from '#shared/responses/bulk.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { PathParams } from '#web/lib/routing/route-match.ts'
import { BulkMatrix } from './bulk-matrix.tsx'
import { BulkPage } from './bulk-page.tsx'
import { bulkReport } from './bulk-report.ts'

const api = apiServer()

const at = (second: number) => `2026-01-01 10:00:${String(second).padStart(2, '0')}.000000`
const step = (key: string, status: BulkRow['steps'][number]['status']): BulkRow['steps'][number] => ({
  key,
  label: key === 'switch' ? 'Switch to PHP 8.4' : 'Check the homepage',
  status,
  started: status === 'Waiting' ? null : at(0),
  ended: status === 'Done' || status === 'Failed' ? at(2) : null,
})
const row = (title: string, more: Partial<BulkRow>): BulkRow => ({
  site: title,
  deleted: false,
  title,
  address: null,
  state: 'waiting',
  reason: null,
  reason_i18n: null,
  job: null,
  started: null,
  ended: null,
  steps: [],
  ...more,
})
const rows = [
  row('one', {
    address: 'one.example',
    state: 'done',
    job: 'j1',
    started: at(0),
    ended: at(4),
    steps: [step('switch', 'Done'), step('page', 'Done')],
  }),
  row('two', {
    state: 'failed',
    reason: '=The homepage, it answers with status 500.',
    job: 'j2',
    started: at(0),
    ended: at(4),
    steps: [step('switch', 'Done'), step('page', 'Failed')],
  }),
  row('three', { reason: '“Copy three” is still running. Wait for it or cancel it.' }),
]

it('has a row for each site and a column for each step', () => {
  renderAs(owner, <BulkMatrix rows={rows} all={rows} />)
  const table = screen.getByRole('table', { name: 'Sites and their steps' })
  expect(
    within(table)
      .getAllByRole('columnheader')
      .map((cell) => cell.textContent),
  ).toEqual(['Site', 'State', 'Switch to PHP 8.4', 'Check the homepage', 'Took'])
  const failed = within(table).getByRole('row', { name: /^two/ })
  expect(within(failed).getByText(/status 500/)).toBeTruthy()
  expect(within(failed).getByText('Failed', { selector: '.sr-only' })).toBeTruthy()
  expect(within(table).getByText(/“Copy three” is still running/)).toBeTruthy()
})

it('links to the sites that exist; of those that were deleted it says so', () => {
  const some = [row('one', {}), row('two', { state: 'done', address: 'two.example', deleted: true })]
  renderAs(owner, <BulkMatrix rows={some} all={some} />)
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['/site/one'])
  expect(screen.getAllByRole('rowheader').map(({ textContent }) => textContent)).toEqual([
    'one',
    'twotwo.exampleDeleted',
  ])
})

function Address() {
  return <output>{useLocation().search}</output>
}

it('opens the job of a site', async () => {
  const { user, container } = renderAs(
    owner,
    <>
      <Address />
      <BulkMatrix rows={rows} all={rows} />
    </>,
  )
  await user.click(screen.getByRole('button', { name: 'Failed. Show the job of two' }))
  await waitFor(() => expect(container.querySelector('output')?.textContent).toBe('?job=j2'))
  expect(screen.queryByRole('button', { name: /job of three/ })).toBeNull()
})

it('shows many rows step by step', async () => {
  const many = Array.from({ length: 450 }, (_, n) => row(`site-${n}`, {}))
  const { user } = renderAs(owner, <BulkMatrix rows={many} all={many} />)
  expect(screen.getAllByRole('rowheader')).toHaveLength(200)
  await user.click(screen.getByRole('button', { name: 'Show 250 more' }))
  expect(screen.getAllByRole('rowheader')).toHaveLength(400)
})

it('reports each site with its steps; no cell is a formula', () => {
  expect(bulkReport(rows).trim().split('\r\n')).toEqual([
    'Site,Address,State,Reason,Took,Switch to PHP 8.4,Check the homepage',
    'one,one.example,Done,,4,Done,Done',
    'two,two,Failed,"\'=The homepage, it answers with status 500.",4,Done,Failed',
    'three,three,Waiting,“Copy three” is still running. Wait for it or cancel it.,,,',
  ])
})

const run = {
  ...{ name: 'b1', action: 'archive', label: 'Archive', owner: 'owner@acme.example', organization: 'acme' },
  ...{ total: 3, waiting: 0, running: 0, done: 1, failed: 1, skipped: 1, canceled: 0, status: 'Done' },
}

function openRun(changes: Partial<typeof run> = {}) {
  api.on(':method', () => ({ message: [] }))
  api.on('resource/Bulk%20Run/b1', () => ({ data: { ...run, ...changes } }))
  api.on('run_doc_method', () => ({ message: rows }))
  api.on('easydash.api.site.start_bulk_run', () => ({ message: { name: 'b2', skipped: 0 } }))
  return renderAs(
    owner,
    <PathParams value={{ run: 'b1' }}>
      <BulkPage />
    </PathParams>,
  )
}

it('says by name who started it', async () => {
  openRun({ owner: 'ann@acme.example' })
  api.on('frappe.client.get_list', () => ({ message: [{ name: 'ann@acme.example', full_name: 'Ann Berg' }] }))
  expect(await screen.findByText(/by Ann Berg$/)).toBeTruthy()
})

it('undoes an archiving: only the sites that are still archived are restored, in a bulk run of their own', async () => {
  const { user } = openRun()
  api.on('run_doc_method', () => ({ message: [...rows, row('gone', { state: 'done', deleted: true })] }))
  await user.click(await screen.findByRole('button', { name: 'Restore from archive' }))
  await waitFor(() =>
    expect(api.calls.filter(({ name }) => name.endsWith('start_bulk_run')).map(({ body }) => body)).toEqual([
      { action: 'restore_archive', sites: ['one'] },
    ]),
  )
})

it.each([
  ['that still runs', { running: 1, done: 1, skipped: 0, status: 'Running' }],
  ['of something else', { action: 'flush_cache', label: 'Clear cache' }],
])('a run %s has nothing to undo', async (_which, changes) => {
  openRun(changes)
  await screen.findByRole('button', { name: 'Download report' })
  expect(screen.queryByRole('button', { name: 'Restore from archive' })).toBeNull()
})

it.each<[string, unknown]>([
  ['null', null],
  ['an object', { rows: [] }],
  ['a row without a state', [{ ...rows[0], state: undefined }]],
  ['a state that does not exist', [{ ...rows[0], state: 'melted' }]],
  ['a number for a title', [{ ...rows[0], title: 7 }]],
  ['steps that are none', [{ ...rows[0], steps: null }]],
  ['a step without a status', [{ ...rows[0], steps: [{ key: 'switch', label: 'Switch' }] }]],
])(
  'rows of another shape (%s) are an error that can be tried again, not an invented state',
  async (_what, malformed) => {
    const { user } = openRun()
    api.on('run_doc_method', () => ({ message: malformed }))
    const alert = await screen.findByRole('alert')
    expect(screen.queryByRole('table')).toBeNull()
    expect(document.body.textContent).not.toMatch(/undefined|NaN|\[object|melted/)
    expect(screen.getByRole('heading', { level: 1, name: 'Archive' })).toBeTruthy()
    api.on('run_doc_method', () => ({ message: rows }))
    await user.click(within(alert).getByRole('button', { name: 'Retry' }))
    expect(await screen.findByRole('table', { name: 'Sites and their steps' })).toBeTruthy()
  },
)
