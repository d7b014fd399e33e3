import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SiteRestart } from '#server/engines/site-restart.ts'
import type { CapabilityName } from '#server/engines/engine.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { restartKinds } from '#shared/rules/site-restarts.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'

let t: TestSites
let site: Site
/** What the engine was asked for. */
const asked: { domain: string; how: SiteRestart }[] = []
let lacking: Partial<Record<CapabilityName, string>> = {}

beforeAll(async () => {
  t = await openTestSites([], { lacks: () => lacking })
  site = await t.live('restarted')
  const { restart } = t.engine
  Object.assign(t.engine, {
    restart: async (ref: Parameters<typeof restart>[0], how: SiteRestart) => {
      asked.push({ domain: ref.domain, how })
      how.log('It says what it does.')
      await restart(ref, how)
    },
  })
})
afterAll(() => t?.close())
beforeEach(() => {
  asked.length = 0
  t.engine.calls.length = 0
})
afterEach(() => {
  lacking = {}
  t.engine.answers.length = 0
})

const pages = () => t.engine.calls.filter((call) => call === 'request restarted').length

describe.each(restartKinds)('%s', (kind) => {
  test('the engine does it once, as what the job asks for, and then the homepage is loaded', async () => {
    const job = await t.end(await t.act(site.name, kind))
    expect(job).toMatchObject({ status: 'Done', job_type: `site.${kind}`, error_message: null })
    expect(asked).toEqual([
      { domain: 'restarted', how: expect.objectContaining({ kind, operationId: job.name }) as SiteRestart },
    ])
    expect(pages()).toBeGreaterThan(0)
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', health: 'Up', locked_by_job: null })
  })

  test('a page that fails afterward fails the job, which says so and what to look at; the engine is not asked again', async () => {
    const failing = { status: 502, body: 'Bad Gateway' }
    t.engine.answers.push(failing, failing)
    const job = await t.end(await t.act(site.name, kind))
    expect(job).toMatchObject({
      status: 'Failed',
      error_message: 'Load the homepage: The page answered with status 502.',
      next_action: 'Look at the log of the site, then retry.',
    })
    expect(asked.map(({ how }) => how.operationId)).toEqual([job.name])
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', locked_by_job: null })
  })

  test('a server that lacks it refuses with its reason, before there is a job', async () => {
    const reason = 'The server has no containers.'
    lacking = { [kind === 'restart' ? 'restart' : 'containers']: reason }
    expect(await rejectionOf(t.act(site.name, kind))).toMatchObject({ code: 'unsupported', message: reason })
    expect(asked).toEqual([])
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', locked_by_job: null })
  })
})

test('a site that does not run is left alone, in words for people', async () => {
  const crashed = await t.live('crashed')
  t.engine.crash(crashed.name, 'It ended.')
  const job = await t.end(await t.act(crashed.name, 'restart'))
  expect(job).toMatchObject({
    status: 'Failed',
    error_message: 'Restart its services: The site does not run at the moment.',
    next_action: 'Resume the site first.',
  })
})
