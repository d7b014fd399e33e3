import { act } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { BulkDrawer } from './bulk-drawer.tsx'
import { rowProgress, type RowProgress } from './bulk-progress.ts'
import { forgetBulk, stopBulk, useBulkRun, type BulkRow, type BulkRun } from './bulk-run.ts'

const data = vi.hoisted(() => ({ runAction: vi.fn<(...args: unknown[]) => Promise<unknown>>() }))
vi.mock('#web/lib/api/api.ts', () => ({ runAction: data.runAction }))
vi.mock('../jobs/job-link.ts', () => ({ useOpenJob: () => () => undefined }))

const page = testRender()
afterEach(async () => {
  await act(async () => {
    stopBulk()
    forgetBulk()
  })
  data.runAction.mockReset()
})

const row = (name: string, state: BulkRow['state']): RowProgress =>
  rowProgress({ name, title: name, state, reason: null, job: null }, undefined)
const archived = (rows: readonly RowProgress[], undo = true): BulkRun => ({
  id: 1,
  doctype: 'Site',
  label: 'Delete site',
  noun: 'sites',
  rows,
  ...(undo && { undo: { action: 'restore_archive', label: 'Restore from archive' } }),
})

function Present() {
  return <output>{useBulkRun()?.label ?? 'nothing'}</output>
}
const draw = (run: BulkRun, rows: readonly RowProgress[]) =>
  act(async () =>
    page.root.render(
      <>
        <Present />
        <BulkDrawer run={run} rows={rows} onClose={() => undefined} />
      </>,
    ),
  )
const button = (name: string) => [...document.querySelectorAll('button')].find((one) => one.textContent === name)

it('takes back what was done, each row on its own, once all of it is over', async () => {
  const going = [row('a', 'done'), row('b', 'running')]
  await draw(archived(going), going)
  expect(button('Undo')).toBeUndefined()
  const over = [row('a', 'done'), row('b', 'failed'), row('c', 'done')]
  await draw(archived(over), over)
  data.runAction.mockResolvedValue({ job: 'j' })
  await act(async () => button('Undo')?.click())
  expect(data.runAction.mock.calls).toEqual([
    ['Site', 'a', 'restore_archive'],
    ['Site', 'c', 'restore_archive'],
  ])
  expect(page.place.querySelector('output')?.textContent).toBe('Restore from archive')
})

it('offers nothing where there is no way back, or nothing was done', async () => {
  const over = [row('a', 'done')]
  await draw(archived(over, false), over)
  expect(button('Undo')).toBeUndefined()
  const failed = [row('a', 'failed')]
  await draw(archived(failed), failed)
  expect(button('Undo')).toBeUndefined()
})

it('draws the first of many rows and all that failed; more on a press', async () => {
  const rows = Array.from({ length: 450 }, (_, at) => row(`site-${at}`, at === 300 ? 'failed' : 'done'))
  await draw(archived(rows), rows)
  const drawn = () => document.querySelectorAll('li').length
  expect(drawn()).toBe(201)
  expect(document.body.textContent).toContain('site-300')
  await act(async () => button('Show 249 more')?.click())
  expect(drawn()).toBe(400)
})
