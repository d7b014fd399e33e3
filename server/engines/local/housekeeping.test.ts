import { expect, it } from 'vitest'
import { silentLog } from '#server/platform/log/log.ts'
import type { AwakeSites } from './processes/awake-sites.ts'
import { startHousekeeping } from './housekeeping.ts'
import type { SiteRecord } from './sites/site-record.ts'
import type { SiteStore } from './sites/site-store.ts'

it('puts sites to sleep and measures them while a site does not end its scheduled events', async () => {
  const record = { id: 'a', siteType: 'wp', state: 'ready', nextCronAt: null } as SiteRecord
  let time = 0
  let measured = 0
  let calls = 0
  const slept: string[] = []
  const events = Promise.withResolvers<number>()
  const housekeeping = startHousekeeping({
    store: { get: () => record, all: () => [record] } as unknown as SiteStore,
    awake: {
      list: () => [{ id: 'a', pid: 1 }],
      running: () => ({ runs: () => [] }),
      crash: () => null,
      idleSince: () => ['a', 'b'],
      sleep: async (id: string) => void slept.push(id),
    } as unknown as AwakeSites,
    log: silentLog,
    now: () => time,
    idleMinutes: 1,
    endDebug: async () => undefined,
    capLog: () => undefined,
    cron: () => {
      calls += 1
      return events.promise
    },
    cronWaitMs: 1,
    storage: async () => void (measured += 1),
    probe: async () => true,
    setOffline: () => undefined,
  })
  for (let round = 1; round <= 3; round += 1) {
    time += 61_000
    void housekeeping.round()
    await expect.poll(() => measured).toBe(round + 1)
  }
  // Not the one whose scheduled events are running.
  expect(slept).toEqual(['b', 'b', 'b', 'b'])
  // The next events wait for these.
  expect(calls).toBe(1)
  events.resolve(1)
  await housekeeping.round()
  await housekeeping.stop()
})

it('runs the scheduled events of all sites but rehearsals and those busy in wp-admin though the error log of one cannot be opened', async () => {
  const records = ['a', 'b', 'c', 'd'].map(
    (id) =>
      ({ id, siteType: 'wp', state: 'ready', nextCronAt: null, ...(id === 'c' && { rehearsal: true }) }) as SiteRecord,
  )
  let time = 0
  let measured = 0
  const calls: string[] = []
  const housekeeping = startHousekeeping({
    store: { get: (id: string) => records.find((one) => one.id === id), all: () => records } as unknown as SiteStore,
    awake: {
      list: () => records.map(({ id }) => ({ id, pid: 1 })),
      running: (id: string) => ({ runs: () => [{ isAdmin: false }, { isAdmin: id === 'd' }] }),
      crash: () => null,
      idleSince: () => [],
    } as unknown as AwakeSites,
    log: silentLog,
    now: () => time,
    idleMinutes: 1,
    endDebug: async () => undefined,
    capLog: ({ id }) => {
      // As if the site's process had a lease on the file.
      if (id === 'a') throw Object.assign(new Error('EAGAIN: resource temporarily unavailable'), { code: 'EAGAIN' })
    },
    cron: async ({ id }) => calls.push(id),
    storage: async () => void (measured += 1),
    probe: async () => true,
    setOffline: () => undefined,
  })
  time += 61_000
  await housekeeping.round()
  await housekeeping.stop()
  expect(calls).toEqual(['a', 'b'])
  expect(measured).toBe(2)
})
