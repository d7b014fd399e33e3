import { act } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { testRender } from '#web/lib/browser/test-render.ts'
import type { ToastInput } from '#web/lib/browser/toasts.ts'
import { UndoOffers } from './undo-offers.tsx'
import { dropOffer, offerUndo } from './undo-store.ts'

const page = testRender()

const data = vi.hoisted(() => ({
  jobs: [] as unknown[],
  runAction: vi.fn<(...args: unknown[]) => Promise<unknown>>(),
  openJob: vi.fn<(job: string | null) => void>(),
  showToast: vi.fn<(toast: ToastInput) => void>(),
}))
vi.mock('#web/lib/api/frappe.tsx', () => ({ useList: () => ({ data: data.jobs }) }))
vi.mock('#web/lib/api/api.ts', () => ({ runAction: data.runAction }))
vi.mock('#web/lib/browser/toasts.ts', () => ({ showToast: data.showToast }))
vi.mock('../jobs/job-link.ts', () => ({ useOpenJob: () => data.openJob }))

const toast = () => data.showToast.mock.lastCall?.[0] ?? null
const draw = (status: string) => {
  data.jobs = [{ name: 'j1', status, label: 'Archive blog', reference_title: 'blog' }]
  return act(async () => page.root.render(<UndoOffers />))
}
beforeEach(async () => {
  data.runAction.mockReset()
  data.openJob.mockReset()
  data.showToast.mockReset()
  offerUndo({ type: SiteDoctype, name: 's1', undo: 'restore_archive', job: 'j1' })
})
afterEach(async () => {
  await act(async () => dropOffer('j1'))
})

it('offers to take it back once the job is done, and opens the job that does', async () => {
  await draw('Running')
  expect(toast()).toBeNull()
  await draw('Done')
  expect(toast()).toMatchObject({ title: 'Archive blog: done', action: { label: 'Undo' } })
  data.runAction.mockResolvedValue({ job: 'j2' })
  await act(async () => toast()?.action?.onClick?.())
  expect(data.runAction).toHaveBeenCalledWith('Site', 's1', 'restore_archive')
  expect(data.openJob).toHaveBeenCalledWith('j2')
})

it('says why when it cannot be taken back', async () => {
  await draw('Done')
  data.runAction.mockRejectedValue(new Error('The plan has no room.'))
  await act(async () => toast()?.action?.onClick?.())
  expect(toast()).toMatchObject({ title: 'Restore from archive failed', variant: 'danger' })
})

it.each(['Failed', 'Cancelled'])('is silent about a job that ended otherwise: %s', async (status) => {
  await draw(status)
  expect(toast()).toBeNull()
  await draw('Done')
  expect(toast()).toBeNull()
})
