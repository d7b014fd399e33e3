import type { UnfinishedJob } from '#web/documents/jobs/unfinished-jobs.ts'
import { act, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import type { Loaded } from '#web/lib/api/frappe.tsx'
import { MemoryRouter } from 'react-router'
import { clearToasts, dismissToast, showToast } from '#web/lib/browser/toasts.ts'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { JobTrayList } from './job-tray-list.tsx'

afterEach(() => act(clearToasts))

const noJobs: Loaded<UnfinishedJob[]> = {
  data: [],
  error: null,
  isLoading: false,
  isSlow: false,
  isValidating: false,
  loadedAt: 0,
  reload: () => Promise.resolve(),
}
const closed = vi.fn()
const setup = (jobs = noJobs) =>
  render(
    <MemoryRouter>
      <div data-testid="tray">
        <JobTrayList jobs={jobs} onClose={closed} />
      </div>
      <ToastArea />
    </MemoryRouter>,
  )
const tray = () => within(screen.getByTestId('tray'))
const entries = (): (string | null)[] =>
  tray()
    .queryAllByRole('listitem')
    .map((one) => one.textContent)
const button = (name: string): HTMLElement | null => tray().queryByRole('button', { name })

it('is never empty: until the jobs are there it says that they load, not that there are none', () => {
  setup({ ...noJobs, data: undefined, isLoading: true })
  expect(screen.getByTestId('tray').textContent).toMatch(/Loading/)
  expect(screen.queryByText('No running jobs')).toBeNull()
})

it('keeps past toasts, with Undo if it stays safe to run later', async () => {
  setup()
  const undo = vi.fn()
  act(() => {
    showToast({ title: 'Role changed', action: { label: 'Undo', onClick: () => undefined } })
    showToast({ title: 'Key removed', action: { label: 'Undo', onClick: undo, lasting: true } })
    showToast({ title: 'Saved' })
    dismissToast()
  })
  expect(entries()).toEqual([
    expect.stringMatching(/^Saved/),
    expect.stringMatching(/^Key removedUndo/),
    expect.stringMatching(/^Role changed(?!Undo)/),
  ])
  expect(button('Undo: Role changed')).toBeNull()
  await userEvent.click(tray().getByRole('button', { name: 'Undo: Key removed' }))
  expect(undo).toHaveBeenCalledOnce()
  expect(closed).toHaveBeenCalledOnce()
  // Already undone, so undo isn't offered again.
  expect(button('Undo: Key removed')).toBeNull()
  expect(entries()).toHaveLength(3)
})

it('Undo is not offered again after it was used in the toast', async () => {
  setup()
  const undo = vi.fn()
  act(() => void showToast({ title: 'Key removed', action: { label: 'Undo', onClick: undo, lasting: true } }))
  expect(button('Undo: Key removed')).not.toBeNull()
  const toasts = within(await screen.findByRole('region'))
  await userEvent.click(await toasts.findByRole('button', { name: 'Undo' }))
  expect(undo).toHaveBeenCalledOnce()
  expect(button('Undo: Key removed')).toBeNull()
  expect(entries()).toHaveLength(1)
})
