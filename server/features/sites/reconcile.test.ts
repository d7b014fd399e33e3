import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { HostedSite } from '#server/engines/site-host.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { checkSites } from './monitoring/check-sites.ts'
import { reconcile } from './reconcile.ts'

/** Sites on servers that somebody else changes, too. */

let t: TestSites
beforeAll(async () => {
  t = await openTestSites([], { reach: 'network' })
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => t?.close())

/** The server says this of a site, and nothing of others. */
const says = (...sites: readonly Partial<HostedSite>[]) =>
  vi
    .spyOn(t.engine.host, 'sites')
    .mockResolvedValue(sites.map((one) => ({ id: null, domain: '', state: 'running', pid: null, ...one })))
const after = async ({ name }: Pick<Site, 'name'>) => {
  await reconcile(t.deps, t.host)
  const { status, health, failure_reason: reason } = (await t.siteNow(name)) as Site
  return { status, health, reason }
}
const change = (site: Site, values: Partial<Site>) =>
  t.running.documents.transaction(systemSession(), (tx) => tx.update(SiteDoctype, site.name, values, { hooks: false }))

test('one that somebody deleted, stopped or renamed is down, and says so', async () => {
  const site = await t.live('changed')
  const seen = { id: site.name, domain: site.domain }
  says(seen)
  expect(await after(site)).toEqual({ status: 'Live', health: 'Up', reason: null })
  says()
  expect(await after(site)).toEqual({
    ...{ status: 'Live', health: 'Down' },
    reason: 'The site is not on its server any more. Somebody may have deleted it there.',
  })
  for (const state of ['asleep', 'archived'] as const) {
    says({ ...seen, state })
    expect(await after(site)).toEqual({
      ...{ status: 'Live', health: 'Down' },
      reason: 'Somebody stopped the site on its server. Suspend and resume it to start it again.',
    })
  }
  says({ ...seen, domain: 'renamed.example' })
  expect(await after(site)).toEqual({
    ...{ status: 'Live', health: 'Down' },
    reason: expect.stringMatching(/^Somebody gave the site another domain on its server: renamed\.example\./) as string,
  })
})

test('under another name it is not requested, and counts as down; back under its own it is', async () => {
  const site = await t.live('visited')
  says({ id: site.name, domain: 'renamed.example' })
  t.engine.calls.length = 0
  await checkSites(t.deps, t.host)
  expect(t.engine.calls).toEqual([])
  // As in the middle of a change of the domain.
  says({ id: site.name, domain: site.domain }, { id: site.name, domain: 'renamed.example', state: 'asleep' })
  expect(await after(site)).toMatchObject({ health: 'Up' })
  await checkSites(t.deps, t.host)
  expect(t.engine.calls).toContain(`request ${site.domain}`)
})

test('one that is suspended, or that changed since the server was asked is left alone', async () => {
  const site = await t.live('busy')
  says()
  await change(site, { status: 'Suspended' })
  expect(await after(site)).toMatchObject({ status: 'Suspended', health: 'Up' })
  await change(site, { status: 'Live' })
  const { documents } = t.deps
  const changing = vi.spyOn(t.engine.host, 'sites').mockImplementation(async () => [])
  let lists = 0
  vi.spyOn(t.deps, 'documents').mockImplementation(() => {
    const all = documents()
    return {
      ...all,
      transaction: async (session, work) => {
        const result = await all.transaction(session, work)
        lists += 1
        // Once the rows were read, and before the site is read again.
        if (lists === 2) await all.transaction(session, (tx) => tx.update(SiteDoctype, site.name, { title: 'Other' }))
        return result
      },
    }
  })
  expect(await after(site)).toMatchObject({ status: 'Live', health: 'Up' })
  expect(changing).toHaveBeenCalled()
})

test('what somebody renamed is no leftover: it stays when its document is gone', async () => {
  const site = await t.live('kept')
  await t.running.documents.transaction(systemSession(), (tx) => tx.delete(SiteDoctype, site.name))
  says({ id: site.name, domain: 'renamed.example', isRenamed: true })
  await reconcile(t.deps, t.host)
  expect(t.engine.traces()).toContain(site.name)
  says({ id: site.name, domain: site.domain })
  await reconcile(t.deps, t.host)
  expect(t.engine.traces()).not.toContain(site.name)
})
