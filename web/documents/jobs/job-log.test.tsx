import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { sampleTime } from '#tests/web/sample.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { JobLog } from './job-log.tsx'

const api = apiServer()
const read = 'easydash.easydash.doctype.server_logs.server_logs.get_job_logs'

/** Renders the log of a job that has these lines. */
function setup(texts: readonly string[], ended: boolean) {
  const lines = texts.map((text, index) => ({ n: index + 1, at: sampleTime, text }))
  api.on(read, ({ body }) => ({
    message: { lines: body['cursor'] === undefined ? lines : [], cursor: lines.length, done: ended },
  }))
  return renderAs(owner, <JobLog job="j1" label="Create blog" written={lines.length} ended={ended} />)
}
const area = () => screen.queryByRole('region', { name: 'Log' })

test('a job that ended without log lines has no log, not even an empty area', async () => {
  const { container } = setup([], true)
  await waitFor(() => expect(api.calls.map(({ name }) => name)).toContain(read))
  await waitFor(() => expect(container.childElementCount).toBe(0))
})

test('the log of a job that ended, and of one that may still write, is shown', async () => {
  const { unmount } = setup(['Copied 40 files'], true)
  expect(await screen.findByText('Copied 40 files')).toBeTruthy()
  expect(area()).toBeTruthy()
  unmount()
  setup([], false)
  expect(await screen.findByRole('region', { name: 'Log' })).toBeTruthy()
})

test('a log that could not be read says so', async () => {
  api.on(read, () => ({ status: 403, body: { exception: 'Not yours' } }))
  renderAs(owner, <JobLog job="j1" label="Create blog" written={0} ended />)
  expect(await screen.findByText(/Not yours/)).toBeTruthy()
})
