import { act, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { setOfflineSince } from '#web/lib/api/offline.ts'
import { formatClock } from '#web/lib/i18n/format.ts'
import { JobDrawer } from './job-drawer.tsx'

const api = apiServer()
afterEach(() => act(() => setOfflineSince(null)))

function setup(job: object, viewer = owner) {
  api.on('resource/Job/j1', () => ({ data: { name: 'j1', owner: owner.user, label: 'Archive blog', ...job } }))
  api.on('easydash.easydash.doctype.server_logs.server_logs.get_job_logs', () => ({
    message: { lines: [], cursor: 0, done: true },
  }))
  api.on('frappe.client.get_list', () => ({ message: [] }))
  return renderAs(viewer, <JobDrawer next={() => null} />, '/site/s1?job=j1')
}
const step = {
  key: 'pack',
  label: 'Pack the files',
  status: 'Running',
  started: '2026-11-21 14:00:00.000000',
  percent: 0,
}

test('while the server is away, the drawer says from when the state is, and nothing goes on', async () => {
  setup({ status: 'Running', started: '2026-11-21 14:00:00.000000', steps: [step] })
  expect(await screen.findByText('Running', { exact: true })).toBeTruthy()
  const since = Date.parse('2026-11-21T14:02:05Z')
  act(() => setOfflineSince(since))
  const time = formatClock(new Date(since))
  expect(screen.getByText(`Running at ${time}`)).toBeTruthy()
  expect(screen.queryByText('Running', { exact: true })).toBeNull()
  expect(screen.getByText(new RegExp(`The server does not answer. This is the state at ${time}`))).toBeTruthy()
  expect(screen.getAllByText('2 min 5 s')).toHaveLength(2)
  expect(document.querySelector('[aria-current="step"]')).toBeNull()
  act(() => setOfflineSince(null))
  expect(screen.getByText('Running', { exact: true })).toBeTruthy()
})

test('what has ended stays as it ended', async () => {
  setup({ status: 'Done', started: '2026-11-21 14:00:00.000000', ended: '2026-11-21 14:01:00.000000', steps: [] })
  expect(await screen.findByText('Done', { exact: true })).toBeTruthy()
  act(() => setOfflineSince(Date.parse('2026-11-21T14:02:05Z')))
  expect(screen.getByText('Done', { exact: true })).toBeTruthy()
  expect(screen.queryByText(/does not answer/)).toBeNull()
})

const measure = {
  ...{ key: 'measure', label: 'Measure the server', status: 'Running', percent: 0 },
  wait: { since: '2026-11-21 14:00:00.000000', reason: 'Waiting for the agent', reason_i18n: null },
  continue_anyway: 'The server is used without knowing its size.',
}

test('a job continues without a step that waits, once its meaning is confirmed; a refusal stays in the question', async () => {
  const { user: person } = setup({ status: 'Running', steps: [{ ...step, status: 'Done' }, measure] })
  api.on('run_doc_method', () => ({ status: 417, body: { exception: 'The step is being checked at this moment.' } }))
  await person.click(await screen.findByRole('button', { name: 'Continue anyway…' }))
  const question = within(await screen.findByRole('alertdialog', { name: 'Continue without “Measure the server”?' }))
  expect(question.getByText('The server is used without knowing its size.')).toBeTruthy()
  await person.click(question.getByRole('button', { name: 'Continue anyway' }))
  expect((await question.findByRole('alert')).textContent).toContain('The step is being checked at this moment.')
  api.on('run_doc_method', () => ({ message: { job: 'j1' } }))
  await person.click(question.getByRole('button', { name: 'Continue anyway' }))
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(api.calls.findLast(({ name }) => name === 'run_doc_method')?.body).toMatchObject({
    ...{ dn: 'j1', method: 'continue_anyway', args: { step: 'measure' } },
  })
})

test.each([
  ['does not wait', { steps: [{ ...measure, wait: null }] }, owner],
  ['can’t be left out', { steps: [{ ...measure, continue_anyway: undefined }] }, owner],
  [
    'follows work that was taken back',
    {
      status: 'Failed',
      steps: [
        { ...step, status: 'Done', undone: true },
        { ...measure, status: 'Failed' },
      ],
    },
    owner,
  ],
  ['is of a job that the person can’t retry', { steps: [measure] }, member],
])('nothing is offered for a step that %s', async (_what, job, person) => {
  setup({ status: 'Running', ...job }, person)
  expect(await screen.findByText('Measure the server')).toBeTruthy()
  expect(screen.queryByRole('button', { name: /Continue anyway/ })).toBeNull()
})

test('what a job waits for stands below its other details', async () => {
  setup({
    status: 'Queued',
    reference_title: 'blog',
    steps: [],
    waits_for: 'j0',
    waits_for_label: 'Clone blog to shop',
  })
  const waits = await screen.findByRole('link', { name: 'Waits for “Clone blog to shop”' })
  expect(waits.getAttribute('href')).toContain('job=j0')
  expect(screen.getByText('Queued').closest('div')?.contains(waits)).toBe(false)
})
