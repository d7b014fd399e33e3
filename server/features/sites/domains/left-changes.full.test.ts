import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { EngineError } from '#server/engines/engine.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { systemSession } from '#server/jobs/session.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { msg } from '#shared/localized-message.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { siteRef } from '../engine-of.ts'
import { endLeftChange } from './left-changes.ts'

let t: TestSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())

const jobsOf = (site: Site) =>
  t.running.documents.transaction(systemSession(), (tx) =>
    tx.list(
      JobDoctype,
      [
        ['reference_name', '=', site.name],
        ['job_type', '=', 'site.end_domain_change'],
      ],
      { order_by: 'creation desc' },
    ),
  )

test('a change that no job could take back while its server was away is taken back later', async () => {
  const site = await t.live('left')
  const away = () =>
    new EngineError('unavailable', msg`The server is away.`, { nextAction: msg`Look at it.`, retryable: true })
  const undo = vi.spyOn(t.engine.domains, 'undoChange').mockRejectedValue(away())
  const failed = await t.end(await t.act(site.name, 'change_domain', { domain: 'fail-rename' }))
  expect(failed).toMatchObject({ status: 'Failed', error_message: expect.stringContaining('could not be put back') })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Failed', domain: 'left' })

  // Still away: it is tried again, but not all the time.
  for (let time = 0; time < 3; time += 1) {
    await endLeftChange(t.deps, site)
    for (const { name } of await jobsOf(site)) await t.end({ job: name })
  }
  expect(await jobsOf(site)).toMatchObject([{ status: 'Failed' }])
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Failed', locked_by_job: null })

  undo.mockRestore()
  t.pass(3_600_000)
  await endLeftChange(t.deps, site)
  const [job] = await jobsOf(site)
  expect(await t.end({ job: job?.name })).toMatchObject({ status: 'Done' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', domain: 'left', failure_reason: null })
  expect(await t.engine.domains.read(siteRef(site, thisMachine))).toMatchObject({ domain: 'left', changingTo: null })
  // Nothing is left to be taken back.
  await endLeftChange(t.deps, site)
  expect(await jobsOf(site)).toHaveLength(2)
})

test('other sites that failed are left alone', async () => {
  const site = await t.live('other')
  const failed = await t.end(await t.act(site.name, 'change_domain', { domain: 'fail-rename' }))
  expect(failed).toMatchObject({ status: 'Failed' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live' })
  await endLeftChange(t.deps, site)
  expect(await jobsOf(site)).toEqual([])
})
