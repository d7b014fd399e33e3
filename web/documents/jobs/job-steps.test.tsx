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

test('what a step made is shown where its definition says so, and can be copied', () => {
  const kept = { address: '203.0.113.7', price: '€7.49', machine_id: 42_194_123, region: null }
  const shows = [
    { name: 'price', label: 'Price per month' },
    { name: 'address', label: 'Address' },
    { name: 'region', label: 'Region' },
  ]
  const shown = steps({ status: 'Done', kept, shows })
  expect(shown).toMatch(/Price per month.*€7\.49.*Copy Price per month.*Address.*203\.0\.113\.7.*Copy Address/)
  expect(shown).not.toMatch(/Region|42/)
})

test('a step that is tried again by itself says which attempt it is, and why; one that ended does not', () => {
  const reason = msg`The server does not answer.`
  const retry = { attempt: 2, of: 5, reason: reason.text, reason_i18n: toDescriptor(reason) }
  const again = steps({ retry })
  expect(again).toContain('Trying again, attempt 2 of 5')
  expect(again).toContain('The server does not answer.')
  expect(again).toContain(', trying again')
  expect(steps({ status: 'Done', retry })).not.toContain('Trying again')
  expect(steps({ status: 'Failed', retry })).not.toContain('Trying again')
})
