import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { UnfinishedJob } from '#web/documents/jobs/unfinished-jobs.ts'
import { clearToasts } from '#web/lib/browser/toasts.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { useJobEnds } from './use-job-ends.ts'

const api = apiServer()
const job = (name: string, more: object = {}) => ({
  name,
  doctype: 'Job',
  owner: owner.user,
  label: `Create ${name}`,
  status: 'Done',
  reference_doctype: 'Site',
  reference_name: 's1',
  ...more,
})
/** Serves the jobs as they are now. */
const store = (...jobs: { name: string }[]): void => {
  for (const one of jobs) api.on(`resource/Job/${one.name}`, () => ({ data: one }))
}

afterEach(() => {
  act(clearToasts)
  vi.restoreAllMocks()
})

function Shell({ jobs }: { jobs: readonly string[] | undefined }) {
  useJobEnds(jobs?.map((name) => ({ name }) as UnfinishedJob))
  return <ToastArea />
}

/** The list of unfinished jobs, and then what is left of it. */
function setup(before: readonly string[], after: readonly string[], path = '/site') {
  const rendered = renderAs(owner, <Shell jobs={undefined} />, path)
  rendered.rerender(<Shell jobs={before} />)
  rendered.rerender(<Shell jobs={after} />)
  return rendered
}

test('an own job that ended is told with the next step, once', async () => {
  store(job('blog'))
  const { rerender } = setup(['blog', 'shop'], ['shop'])
  expect(await screen.findByText('Create blog: done')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Open' }).getAttribute('href')).toContain('/site/s1')
  rerender(<Shell jobs={['shop']} />)
  await waitFor(() => expect(screen.getAllByText('Create blog: done')).toHaveLength(1))
})

test('a failure comes with its reason, and the way to the job', async () => {
  store(job('blog', { status: 'Failed', error_message: 'The disk is full.' }))
  setup(['blog'], [])
  expect(await screen.findByText('Create blog: failed')).toBeTruthy()
  expect(screen.getByText('The disk is full.')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'See why' }).getAttribute('href')).toContain('/job?job=blog')
})

test('the job of an open drawer, others’ jobs and unfinished ones are not told', async () => {
  store(job('mine'), job('open'), job('other', { owner: 'eve@x.example' }), job('on', { status: 'Running' }))
  window.history.replaceState(null, '', '/web/site?job=open')
  setup(['mine', 'open', 'other', 'on'], [])
  expect(await screen.findByText('Create mine: done')).toBeTruthy()
  for (const label of ['Create open: done', 'Create other: done', 'Create on: done'])
    expect(screen.queryByText(label)).toBeNull()
  window.history.replaceState(null, '', '/')
})

test('many that end at once are one message', async () => {
  const names = ['a', 'b', 'c', 'd']
  store(...names.map((name) => job(name, name === 'd' ? { status: 'Failed' } : {})))
  setup(names, [])
  expect(await screen.findByText('4 jobs have ended')).toBeTruthy()
  expect(screen.getByText('1 of them failed.')).toBeTruthy()
})

test('a tab in the background is marked until it is looked at', async () => {
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  store(job('blog'))
  setup(['blog'], [])
  await waitFor(() => expect(document.title).toMatch(/^✓ /))
  hidden.mockReturnValue(false)
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
  expect(document.title).not.toMatch(/✓/)
})
