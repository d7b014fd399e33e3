import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { toDescriptor, msg } from '#shared/localized-message.ts'
import type { Job, JobStep } from '#shared/doctypes/job.ts'
import { JobSteps } from './job-steps.tsx'

const step = (more: Partial<JobStep>): JobStep => ({
  key: 'order',
  label: 'Order the machine',
  status: 'Running',
  started: '2026-11-21 14:00:00.000000',
  ended: null,
  percent: 0,
  weight: 1,
  ...more,
})
const steps = (more: Partial<JobStep>) =>
  renderToStaticMarkup(<JobSteps job={{ name: 'j1', status: 'Running', steps: [step(more)] } as Job} />)
const wait = {
  since: '2026-11-21 14:02:00.000000',
  reason: 'Waiting for the provider',
  reason_i18n: toDescriptor(msg`Waiting for the provider`),
}

test('a waiting step shows its reason and since when, until it ends', () => {
  expect(steps({ wait })).toMatch(/Waiting for the provider, since [^<]*2026/)
  expect(steps({ status: 'Done', wait })).not.toContain('Waiting for')
  expect(steps({})).not.toContain('since')
})
