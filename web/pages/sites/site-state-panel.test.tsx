import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { DocStatus } from '#web/documents/values/cells.tsx'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { SiteStatePanel } from './site-state-panel.tsx'

const api = apiServer()

/** Renders the page of a site locked by a job. */
function setup(role: OrganizationRole, job: string, own: boolean) {
  api.on(`resource/Job/${job}`, () => ({ data: { name: job, status: 'Running', label: 'Archive blog', steps: [] } }))
  api.on('frappe.client.get_list', () => ({ message: own ? [{ name: job }] : [] }))
  const site = { name: 's1', status: 'Updating', locked_by_job: job } as Site
  renderAs(
    { ...member, organization: { name: 'acme', title: 'Acme', role, owner: false } },
    <>
      <SiteStatePanel site={site} />
      <DocStatus doctype="Site" value="Updating" job={job} />
    </>,
  )
}
const reads = (job: string) => api.calls.filter(({ name }) => name === `resource/Job/${job}`).length

test('members do not request other users’ jobs', async () => {
  setup('Organization User', 'theirs', false)
  expect(await screen.findByText(/A job is running on this site/)).toBeTruthy()
  expect(screen.queryByRole('link')).toBeNull()
  expect(reads('theirs')).toBe(0)
})

test.each([
  ['Organization User', 'own', true],
  ['Organization Manager', 'any', false],
] as const)('%s sees the progress of the job “%s”', async (role, job, own) => {
  setup(role, job, own)
  expect((await screen.findAllByText(/Archive blog/)).length).toBeGreaterThan(0)
  expect(screen.getAllByRole('button').length).toBeGreaterThan(0)
  expect(screen.getAllByRole('link')[0]?.getAttribute('href')).toContain(`job=${job}`)
  expect(reads(job)).toBeGreaterThan(0)
})

test.each([
  ['full', 'This site is full'],
  ['log_full', 'The error log of this site is full'],
  ['outbox_full', 'The captured email of this site is full'],
  ['disk_full', 'nearly full'],
  ['ok', ''],
] as const)('a live site with storage state %s shows a matching notice', (state, text) => {
  const site = { name: 's1', status: 'Live', locked_by_job: null, storage: { state } } as Site
  const { container } = renderAs(owner, <SiteStatePanel site={site} />)
  if (text === '') expect(container.textContent).toBe('')
  else expect(container.textContent).toContain(text)
})
