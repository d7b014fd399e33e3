import { act, screen, waitFor } from '@testing-library/react'
import { useLocation } from 'react-router'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { listKey, refetchAll } from '#web/lib/api/data-client.ts'
import { clearToasts, takeToastAction, useToasts, type Toast } from '#web/lib/browser/toasts.ts'
import { UndoOffers } from './undo-offers.tsx'
import { removeUndoOffer, offerUndo } from './undo-store.ts'

const api = apiServer()
let status = 'Running'
const reads = () => api.calls.filter(({ name }) => name === 'frappe.client.get_list').length

function Toasts() {
  const { history } = useToasts()
  const { search } = useLocation()
  return (
    <>
      {history.map((toast: Toast) => (
        <p key={toast.id}>
          {`${toast.variant}: ${toast.title}`}
          {toast.action && <button onClick={() => takeToastAction(toast)}>{toast.action.label}</button>}
        </p>
      ))}
      <output>{search}</output>
    </>
  )
}
const setup = () =>
  renderAs(
    owner,
    <>
      <UndoOffers />
      <Toasts />
    </>,
  )
/** Changes the job, as reported by an event. */
async function turn(next: string): Promise<void> {
  status = next
  await act(() => refetchAll(listKey('Job')))
}
beforeEach(() => {
  status = 'Running'
  api.on('frappe.client.get_list', () => ({
    message: [{ name: 'j1', status, label: 'Archive blog', reference_title: 'blog' }],
  }))
  offerUndo({ type: SiteDoctype, name: 's1', undo: 'restore_archive', job: 'j1' })
})
afterEach(() =>
  act(() => {
    removeUndoOffer('j1')
    clearToasts()
  }),
)

it('offers Undo once the job is done, and opens the job that undoes it', async () => {
  api.on('run_doc_method', () => ({ message: { job: 'j2' } }))
  const { user } = setup()
  await waitFor(() => expect(reads()).toBe(1))
  expect(screen.queryByRole('paragraph')).toBeNull()
  await turn('Done')
  expect(await screen.findByText('success: Archive blog: done')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('?job=j2'))
  expect(api.calls.at(-1)).toMatchObject({
    name: 'run_doc_method',
    body: { dt: 'Site', dn: 's1', method: 'restore_archive' },
  })
})

it('shows the reason if undoing is not possible', async () => {
  status = 'Done'
  api.on('run_doc_method', () => ({ status: 417, body: { exception: 'The plan has no room.' } }))
  const { user } = setup()
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('danger: Restore from archive failed')).toBeTruthy()
})

it.each(['Failed', 'Cancelled'])('offers nothing for a job that ended as %s', async (ended) => {
  status = ended
  setup()
  await waitFor(() => expect(reads()).toBe(1))
  await turn('Done')
  expect(screen.queryByRole('paragraph')).toBeNull()
})
