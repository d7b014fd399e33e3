import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { sampleTime } from '#tests/web/sample.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { unfinishedJobs, useUnfinishedJobs } from '#web/documents/jobs/unfinished-jobs.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ProgressCard } from './progress-card.tsx'

const api = apiServer()

const job = (name: string, status: string) => ({
  name,
  label: `Create ${name}`,
  reference_title: null,
  status,
  percent: 40,
  steps: [],
  started: sampleTime,
  ended: ['Done', 'Failed'].includes(status) ? sampleTime : null,
})

function Jobs() {
  return (
    <TooltipProvider>
      <ProgressCard jobs={useUnfinishedJobs()} />
    </TooltipProvider>
  )
}

/** Renders the card; the server has these jobs. */
function setup(unfinished: readonly object[], ended: readonly object[]): void {
  api.on('frappe.client.get_list', ({ body }) => ({
    message: JSON.stringify(body['filters']) === JSON.stringify(unfinishedJobs) ? unfinished : ended,
  }))
  renderAs(owner, <Jobs />)
}

const ended = [job('blog', 'Done'), job('shop', 'Failed')]

test('if no job runs, the card has the last ones that ended, how, and the way to each', async () => {
  setup([], ended)
  expect(await screen.findByRole('heading', { name: 'Recent jobs' })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'All jobs' }).getAttribute('href')).toBe('/job')
  const links = within(screen.getByRole('list')).getAllByRole('link')
  expect(links.map((link) => link.getAttribute('href'))).toEqual(['/?job=blog', '/?job=shop'])
  expect(within(links[0] as HTMLElement).getByText('Done')).toBeTruthy()
  expect(within(links[1] as HTMLElement).getByText('Failed')).toBeTruthy()
  expect(screen.queryByText(/Jobs appear here/)).toBeNull()
})

test('running jobs come in their place', async () => {
  setup([job('new', 'Running')], ended)
  expect(await screen.findByRole('link', { name: /Create new/ })).toBeTruthy()
  expect(screen.getByRole('heading', { name: 'In progress' })).toBeTruthy()
  expect(screen.queryByText('Create blog')).toBeNull()
})

test('before the first job, the card says what it is for', async () => {
  setup([], [])
  expect(await screen.findByText('Jobs appear here while they run, step by step.')).toBeTruthy()
  expect(screen.getByRole('heading', { name: 'In progress' })).toBeTruthy()
})
