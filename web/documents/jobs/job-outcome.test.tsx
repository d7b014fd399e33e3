import { expect, test } from 'vitest'
import type { Job } from '#shared/doctypes/job.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { JobOutcome } from './job-outcome.tsx'

const ann = { ...owner, user: 'ann@acme.example', fullName: 'Ann' }

const outcome = (job: Partial<Job>) =>
  renderAs(ann, <JobOutcome job={{ name: 'j1', steps: [], ...job } as Job} />).container.innerHTML

test('stored text without a descriptor is marked as English, the app’s own texts are not', () => {
  const failed = outcome({ status: 'Failed', error_message: 'The disk is full', next_action: 'Make room' })
  expect(failed).toContain('<span lang="en">The disk is full</span>')
  expect(failed).toContain('<span lang="en">Make room</span>')
  const canceled = outcome({
    status: 'Cancelled',
    cancelled_by: 'ann@acme.example',
    outcome: 'Canceled by Ann; it was removed',
  })
  expect(canceled).toContain('<span lang="en">Canceled by Ann; it was removed</span>')
  expect(canceled).toMatch(/>Canceled by Ann</)
})

test('a completed job shows no further text', () => expect(outcome({ status: 'Done' })).toBe(''))
