import { systemSession } from '#server/jobs/session.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownHost } from '#server/engines/hosts.ts'
import type { WordPressManagement } from '#server/engines/wordpress.ts'
import type { HostedSite } from '#server/engines/site-host.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { holding } from '#tests/support/site-engine.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { verifyAsleep, verifyRunning } from './verify-checksums.ts'

const hourMs = 3_600_000

let t: TestSites
/** What the feature's clock is ahead of the real one. */
let passed = 0
const pass = (ms: number) => {
  passed += ms
  t.pass(ms)
}
/** Lets the clock go on to the next time it is this hour on this machine. */
const passTo = (hour: number): void => {
  const now = new Date(Date.now() + passed)
  const next = new Date(now)
  next.setHours(hour, 30, 0, 0)
  if (next <= now) next.setDate(next.getDate() + 1)
  pass(next.getTime() - now.getTime())
}

beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())

/** The engine with these sites in a state, and how often each was verified. */
function engineWith(sites: readonly Site[], state: () => HostedSite['state'] = () => 'asleep') {
  const verified: string[] = []
  const wordpress: WordPressManagement = {
    ...t.engine.wordpress,
    async verifyChecksums(site) {
      verified.push(site.domain)
      return t.engine.wordpress.verifyChecksums(site)
    },
  }
  const engine = { ...holding(t.engine, sites, state), wordpress }
  return { engine, verified }
}

test('a sleeping site is verified once each night, and not by day', async () => {
  const site = await t.live('sleeps')
  const { engine, verified } = engineWith([site])
  const round = () => verifyAsleep(t.deps, ownHost(engine))
  passTo(13)
  await round()
  expect(verified, 'by day').toEqual([])
  passTo(2)
  await round()
  expect(verified).toEqual(['sleeps'])
  expect(await t.siteNow(site.name)).toMatchObject({ wordpress_checksum: 'Verified' })
  pass(hourMs)
  await round()
  expect(verified, 'the same night').toHaveLength(1)
  passTo(2)
  await round()
  expect(verified, 'the next night').toHaveLength(2)
})

test('a site that ran between two rounds only is verified in the night after', async () => {
  const site = await t.live('ran-for-a-moment')
  let state: HostedSite['state'] = 'asleep'
  const { engine, verified } = engineWith([site], () => state)
  passTo(2)
  await verifyRunning(t.deps, ownHost(engine))
  await verifyAsleep(t.deps, ownHost(engine))
  expect(verified).toHaveLength(1)
  passTo(12)
  state = 'running'
  t.engine.changeFile(site.name, 'wp-includes/version.php')
  state = 'asleep'
  for (let hour = 13; hour < 24; hour += 1) {
    passTo(hour)
    await verifyRunning(t.deps, ownHost(engine))
    await verifyAsleep(t.deps, ownHost(engine))
  }
  expect(verified).toHaveLength(1)
  passTo(2)
  await verifyAsleep(t.deps, ownHost(engine))
  expect(await t.siteNow(site.name)).toMatchObject({ wordpress_checksum: 'Modified' })
  const noticed = () =>
    t.deps.documents().transaction(systemSession(), (tx) =>
      tx.count('Activity', [
        ['reference_name', '=', site.name],
        ['action', '=', 'Site.files_changed'],
        ['result', '=', 'Failed'],
      ]),
    )
  expect(await noticed()).toBe(1)
  pass(24 * hourMs)
  await verifyAsleep(t.deps, ownHost(engine))
  expect(verified).toHaveLength(3)
  expect(await noticed(), 'still so').toBe(1)
})

test('after a night on which the machine was off, it is made up for by day', async () => {
  const site = await t.live('missed')
  const { engine, verified } = engineWith([site])
  passTo(2)
  await verifyAsleep(t.deps, ownHost(engine))
  passTo(9)
  pass(24 * hourMs)
  await verifyAsleep(t.deps, ownHost(engine))
  expect(verified).toHaveLength(2)
})

test('one that can’t be verified is tried once an hour, and delays no other; a round wakes only as many as its time allows', async () => {
  const [broken, fine] = [await t.live('broken-files'), await t.live('fine-files')]
  const { engine, verified } = engineWith([broken, fine])
  const { wordpress } = engine
  const verify = wordpress.verifyChecksums
  wordpress.verifyChecksums = async (site, signal) => {
    if (site.domain === 'broken-files') {
      verified.push('tried')
      throw new Error('Planted')
    }
    return verify(site, signal)
  }
  const tried = new Map<string, number>()
  const round = () => verifyAsleep(t.deps, ownHost(engine), tried)
  passTo(2)
  for (let minute = 0; minute < 3; minute += 1) {
    await round()
    pass(60_000)
  }
  expect(verified.toSorted()).toEqual(['fine-files', 'tried'])
  pass(hourMs)
  await round()
  expect(verified.filter((one) => one === 'tried')).toHaveLength(2)

  const others = await Promise.all(['first', 'second'].map((name) => t.live(`slow-${name}`)))
  const slow = engineWith(others)
  const inner = slow.engine.wordpress.verifyChecksums
  slow.engine.wordpress.verifyChecksums = async (site, signal) => {
    pass(30_000)
    return inner(site, signal)
  }
  passTo(2)
  await verifyAsleep(t.deps, ownHost(slow.engine))
  expect(slow.verified).toHaveLength(1)
  await verifyAsleep(t.deps, ownHost(slow.engine))
  expect(slow.verified).toHaveLength(2)
})
