import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient, refetchAll } from '#web/lib/api/data-client.ts'
import { listKey } from '#web/lib/api/data-keys.ts'
import { clearToasts, useToasts } from '#web/lib/browser/toasts.ts'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { BulkEnds } from './bulk-ends.tsx'

const api = apiServer()
const run = (name: string, more: object = {}) => ({
  name,
  label: 'Change PHP version: 8.4',
  status: 'Done',
  ended: `2026-03-01 10:00:00.00000${name.length}`,
  total: 12,
  failed: 0,
  skipped: 0,
  ...more,
})

/** The newest ended bulk runs of the user, as the server has them. */
let ended: ReturnType<typeof run>[] = []
beforeEach(() => {
  ended = []
  api.on('frappe.client.get_list', () => ({ message: ended }))
})
afterEach(() => {
  act(clearToasts)
  sessionStorage.clear()
  window.history.replaceState(null, '', '/')
})

function Told() {
  return useToasts().history.map(({ id, title, description }) => (
    <p key={id}>{`told: ${title} ${description ?? ''}`}</p>
  ))
}
const told = () => screen.queryAllByText(/^told: /).map(({ textContent }) => textContent)

async function setup(...before: ReturnType<typeof run>[]) {
  ended = before
  const rendered = renderAs(
    owner,
    <>
      <BulkEnds />
      <ToastArea />
      <Told />
    </>,
  )
  await waitFor(() => expect(api.calls.length).toBeGreaterThan(0))
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  return rendered
}

async function end(...runs: ReturnType<typeof run>[]): Promise<void> {
  ended = [...runs, ...ended]
  await act(() => refetchAll(listKey('Bulk Run')))
}

test('a bulk run that ends is told once, with what became of its sites and the way to its page', async () => {
  await setup(run('old'))
  expect(told()).toEqual([])
  await end(run('fresh', { failed: 2, skipped: 1 }))
  expect(told()).toEqual(['told: Change PHP version: 8.4: ended 2 of 12 failed. 1 was skipped.'])
  expect(screen.getByRole('link', { name: 'Details' }).getAttribute('href')).toContain('/bulk/fresh')
  await end()
  expect(told()).toHaveLength(1)
  await end(run('stopped-one', { canceled: 1 }))
  expect(told()).toContain('told: Change PHP version: 8.4: ended 1 was canceled.')
})

test('one that was canceled says so; one that is resumed and ends again is told again', async () => {
  await setup()
  await end(run('stopped', { status: 'Cancelled' }))
  expect(told()).toEqual(['told: Change PHP version: 8.4: canceled '])
  ended = []
  await end(run('stopped', { ended: '2026-03-01 11:00:00.000000' }))
  expect(told()).toHaveLength(2)
})

test('the page of the run tells its end itself', async () => {
  await setup()
  window.history.replaceState(null, '', '/web/bulk/open')
  await end(run('open'))
  expect(told()).toEqual([])
})
