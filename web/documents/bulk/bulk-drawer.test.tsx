import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { BulkDrawer } from './bulk-drawer.tsx'
import { rowProgress, type RowProgress } from './bulk-progress.ts'
import { dismissBulkRun, stopBulk, useBulkRun, type BulkRow, type BulkRun } from './bulk-run.ts'

const api = apiServer()
afterEach(() =>
  act(() => {
    stopBulk()
    dismissBulkRun()
  }),
)

const row = (name: string, state: BulkRow['state']): RowProgress =>
  rowProgress({ name, title: name, state, reason: null, job: null }, undefined)
const archived = (rows: readonly RowProgress[], undo = true): BulkRun => ({
  id: 1,
  doctype: 'Site',
  label: 'Archive',
  noun: 'sites',
  rows,
  ...(undo && { undo: { action: 'restore_archive', label: 'Restore from archive' } }),
})

function Present() {
  return <output>{useBulkRun()?.label ?? 'nothing'}</output>
}
const drawer = (run: BulkRun, rows: readonly RowProgress[]) => (
  <>
    <Present />
    <BulkDrawer run={run} rows={rows} onClose={() => undefined} />
  </>
)
const undo = () => screen.queryByRole('button', { name: 'Undo' })

it('undoes each completed row once all rows have ended', async () => {
  api.on('run_doc_method', () => ({ message: { job: 'j' } }))
  const going = [row('a', 'done'), row('b', 'running')]
  const { user, container, rerender } = renderAs(owner, drawer(archived(going), going))
  expect(undo()).toBeNull()
  const ended = [row('a', 'done'), row('b', 'failed'), row('c', 'done')]
  rerender(drawer(archived(ended), ended))
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(api.calls).toHaveLength(2))
  expect(api.calls.map(({ body }) => [body['dt'], body['dn'], body['method']])).toEqual([
    ['Site', 'a', 'restore_archive'],
    ['Site', 'c', 'restore_archive'],
  ])
  expect(container.querySelector('output')?.textContent).toBe('Restore from archive')
})

it('offers no Undo if there is none, or nothing was done', () => {
  const ended = [row('a', 'done')]
  const { rerender } = renderAs(owner, drawer(archived(ended, false), ended))
  expect(undo()).toBeNull()
  const failed = [row('a', 'failed')]
  rerender(drawer(archived(failed), failed))
  expect(undo()).toBeNull()
})

it('shows the first rows and all failures; the rest on request', async () => {
  const rows = Array.from({ length: 450 }, (_, at) => row(`site-${at}`, at === 300 ? 'failed' : 'done'))
  const { user } = renderAs(owner, drawer(archived(rows), rows))
  const drawn = () => document.querySelectorAll('li').length
  expect(drawn()).toBe(201)
  expect(screen.getByText('site-300')).toBeTruthy()
  await user.click(screen.getByText('Show 249 more'))
  expect(drawn()).toBe(400)
})
