import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '#server/platform/log/log.ts'
import { removeTree } from '#server/platform/trees/remove-tree.ts'
import { defaultSiteQuotas } from '#shared/rules/default-site-quotas.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { openSiteStore, type SiteStore } from '../sites/site-store.ts'
import type { Trees } from '../trees/trees.ts'
import { createStorageMonitor, type StorageMonitor } from './storage-monitor.ts'

const gigabyte = 1024 ** 3
const never = new AbortController().signal

let folder: string
let store: SiteStore
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storage-monitor-'))
  store = await openSiteStore(folder, silentLog, (paths) => Promise.all(paths.map(removeTree)))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function siteOf(name: string, changes: Partial<SiteRecord> = {}): Promise<SiteRecord> {
  const record: SiteRecord = {
    id: name.padEnd(10, '0'),
    domain: name,
    siteType: 'php',
    phpVersion: '8.4',
    state: 'ready',
    copied: true,
    installed: true,
    uid: null,
    wordpressVersion: null,
    nextCronAt: null,
    createdAt: 0,
    ...changes,
  }
  await store.save(record)
  return record
}

/** A monitor whose measurements return `bytes`, each once `before` resolves. */
function keep(
  options: {
    minFreeBytes?: () => number
    sleep?: (id: string) => Promise<void>
    databaseBytes?: () => Promise<number>
  } = {},
) {
  const found = { bytes: 0, measured: 0, before: (): Promise<void> => Promise.resolve() }
  const awake = new Set<string>()
  const measure = async (_task: string, { paths }: { paths: readonly string[] }) => {
    found.measured += 1
    const { bytes } = found
    await found.before()
    return paths.map((path) => ({ bytes: path.endsWith('www') ? bytes : 0, entries: 1, complete: true, hidden: false }))
  }
  const clock = { at: 1e12 }
  const monitor: StorageMonitor = createStorageMonitor({
    store,
    trees: { run: measure } as unknown as Trees,
    log: silentLog,
    now: () => clock.at,
    get minFreeBytes() {
      return options.minFreeBytes?.() ?? 0
    },
    awake: () => [...awake].map((id) => ({ id })),
    sleep: async (id) => {
      await options.sleep?.(id)
      awake.delete(id)
    },
    databaseBytes: options.databaseBytes ?? (() => Promise.resolve(0)),
    databaseFolder: () => Promise.resolve(null),
    changed: () => undefined,
  })
  /** Starts a site like the engine. */
  const wake = async (record: SiteRecord) => {
    await monitor.prepare(record, never)
    const start = monitor.start(record)
    awake.add(record.id)
    monitor.siteWoken(record.id)
    return start
  }
  return { monitor, found, awake, clock, wake }
}

describe('a site that is deleted while it is measured', () => {
  it.each(['suspended', 'free'])('stays deleted when it would become %s', async (end) => {
    const record = await siteOf('gone', end === 'free' ? { suspended: true } : {})
    const { monitor, found, clock, wake } = keep()
    if (end === 'suspended') await wake(record)
    found.bytes = end === 'suspended' ? 900 * gigabyte : 0
    found.before = () => store.remove(record.id)
    clock.at += 3_600_000
    await monitor.round()
    expect(store.get(record.id)).toBeUndefined()
    expect(store.byDomain('gone')).toBeUndefined()
    expect(await readdir(store.root)).toEqual([])
  })
})

describe('a database outside the folder of a site', () => {
  it('that can’t be asked keeps its size, and the files are measured anyway', async () => {
    const record = await siteOf('slow', { database: 'mysql' })
    let answer = () => Promise.resolve(3 * gigabyte)
    const { monitor, found, clock, wake } = keep({ databaseBytes: () => answer() })
    expect((await wake(record)).usedBytes.files).toBe(3 * gigabyte)
    answer = () => Promise.reject(new Error('The server does not answer.'))
    found.bytes = gigabyte
    clock.at += 3_600_000
    expect((await monitor.of(record)).storage.bytes).toBe(4 * gigabyte)
  })

  it('is looked at in each round, and leads to a measurement when it grew a lot', async () => {
    const record = await siteOf('fast', { database: 'mysql' })
    let bytes = 0
    const { monitor, found, wake } = keep({ databaseBytes: () => Promise.resolve(bytes) })
    await wake(record)
    await monitor.round()
    const before = found.measured
    bytes = 900 * gigabyte
    await monitor.round()
    expect(found.measured).toBe(before + 1)
    expect(store.get(record.id)?.suspended).toBe(true)
  })
})

describe('a start', () => {
  it('is held to what was measured after the process before it, however short ago that ended', async () => {
    const record = await siteOf('quick')
    const { found, awake, wake } = keep()
    expect((await wake(record)).usedBytes.files).toBe(0)
    for (const bytes of [gigabyte, 1.5 * gigabyte]) {
      // It crashes.
      awake.delete(record.id)
      found.bytes = bytes
      expect((await wake(record)).usedBytes.files).toBe(bytes)
    }
  })

  it('measures again if a process ran during the last measurement', async () => {
    const record = await siteOf('under')
    const { monitor, found, awake, wake } = keep()
    found.before = async () => {
      found.before = () => Promise.resolve()
      monitor.siteWoken(record.id)
      found.bytes = gigabyte
    }
    await monitor.of(record)
    awake.delete(record.id)
    expect((await wake(record)).usedBytes.files).toBe(gigabyte)
  })

  it('measures nothing when nothing ran since the last time', async () => {
    const record = await siteOf('calm')
    const { monitor, found, wake } = keep()
    await monitor.of(record)
    await wake(record)
    expect(found.measured).toBe(1)
  })

  it('does not wait for the measurement of another site', async () => {
    const { monitor, found } = keep()
    const large = Promise.withResolvers<void>()
    found.before = () => large.promise
    const waiting = monitor.prepare(await siteOf('large'), never)
    found.before = () => Promise.resolve()
    await monitor.prepare(await siteOf('small'), never)
    large.resolve()
    await waiting
  })
})

describe('on a disk that becomes full', () => {
  it('each site is put to sleep, also when one cannot be, which is tried again in the next round', async () => {
    let minFree = 0
    let isStuck = true
    const records = [await siteOf('one'), await siteOf('two'), await siteOf('three')]
    const { monitor, awake, wake } = keep({
      minFreeBytes: () => minFree,
      sleep: async (id) => {
        if (isStuck && id === records[0]?.id) throw new Error('It does not end.')
      },
    })
    for (const record of records) await wake(record)
    await monitor.round()
    expect(awake.size).toBe(3)
    minFree = Number.MAX_SAFE_INTEGER
    await monitor.round()
    expect([...awake]).toEqual([records[0]?.id])
    isStuck = false
    await monitor.round()
    expect([...awake]).toEqual([])
    expect((await wake(records[0] as SiteRecord)).maxBytes.files).toBe(0)
    await monitor.round()
    expect(awake.size).toBe(1)
  })
})

it('a suspended site gets a larger quota immediately and is measured in the next round', async () => {
  const record = await siteOf('held', { suspended: true })
  const { monitor, found } = keep()
  await monitor.setQuota(record.id, defaultSiteQuotas.php)
  await monitor.setQuota(record.id, { ...defaultSiteQuotas.php, disk_mb: 9_000 })
  expect(found.measured).toBe(0)
  await monitor.round()
  expect(store.get(record.id)?.suspended).toBeUndefined()
})

it('an unchanged quota keeps the site awake; a changed one stops it', async () => {
  const record = await siteOf('used')
  const { monitor, awake, wake } = keep()
  await wake(record)
  await monitor.setQuota(record.id, { ...defaultSiteQuotas.php })
  expect([...awake]).toEqual([record.id])
  await monitor.setQuota(record.id, { ...defaultSiteQuotas.php, disk_mb: 9_000 })
  expect([...awake]).toEqual([])
})

it('a site that writes too much while its restored page is looked at is ended', async () => {
  const record = await siteOf('back', { state: 'restoring' })
  const { monitor, found, awake, clock, wake } = keep()
  await wake(record)
  found.bytes = 900 * gigabyte
  clock.at += 3_600_000
  await monitor.round()
  expect([...awake]).toEqual([])
  // After unpacking again it may be within its quota.
  expect(store.get(record.id)?.suspended).toBeUndefined()
})
