import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SiteRecord } from '../sites/site-record.ts'
import type { SitePaths, SiteStore } from '../sites/site-store.ts'
import { createDumpCleanup, makeRoomForDump } from './kept-dumps.ts'

const hourMs = 3_600_000
const quota = 1_000
let folder: string
let now: number
let records: Map<string, SiteRecord>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dumps-'))
  now = Date.now()
  records = new Map()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A site with dumps of these sizes, made so many hours ago. */
async function site(
  id: string,
  more: Partial<SiteRecord>,
  dumps: Record<string, number>,
  hours = 0,
): Promise<SiteRecord> {
  const record = { id, database: 'mysql', ...more } as SiteRecord
  records.set(id, record)
  await mkdir(join(folder, id))
  for (const [name, size] of Object.entries(dumps)) {
    await writeFile(join(folder, id, name), 'x'.repeat(size))
    const at = (now - hours * hourMs) / 1000
    await utimes(join(folder, id, name), at, at)
  }
  return record
}
const kept = async (id: string) => (await readdir(join(folder, id))).toSorted()
const context = () => ({
  store: {
    all: () => [...records.values()],
    paths: (id: string) => ({ folder: join(folder, id) }) as SitePaths,
    change: async (id: string, change: (record: SiteRecord) => SiteRecord) => {
      records.set(id, change(records.get(id) as SiteRecord))
      return records.get(id)
    },
  } as unknown as SiteStore,
  storage: { limitsOf: () => ({ bytes: quota, entries: 1 }) } as never,
  tenants: { of: (id: string) => (id.startsWith('other') ? 'other' : 'acme'), set: () => undefined },
  now: () => now,
})
const sqlUndo = { id: '0123456789abcdef', at: 0, digest: null }

test('dumps that no change of their site needs are removed after a day, others stay', async () => {
  const all = {
    'sql-undo.sql': 1,
    'sql-undo-new.sql': 1,
    'core-before.sql': 1,
    'saved-database.sql': 1,
    'core-kept.sql': 1,
  }
  await site('none', {}, { ...all, 'sql-undo-now.sql.new': 1, 'site.json': 1 }, 25)
  await site('busy', {}, all, 23)
  await site('undo', { sqlUndo }, all, 25)
  await site('core', { core: { operation: 'x', done: 0 } }, all, 25)
  await site('moved', { deletion: {} as never }, all, 25)
  const cleanUp = createDumpCleanup(context())
  await cleanUp()
  expect(await kept('none')).toEqual(['core-kept.sql', 'site.json'])
  expect(await kept('busy'), 'a job may go on').toHaveLength(5)
  expect(await kept('undo')).toEqual(['core-kept.sql', 'sql-undo.sql'])
  expect(await kept('core')).toEqual(['core-before.sql', 'core-kept.sql'])
  expect(await kept('moved')).toEqual(['core-kept.sql', 'saved-database.sql'])
  now += 25 * hourMs
  await cleanUp()
  expect(await kept('busy'), 'looks again after a day').toEqual(['core-kept.sql'])
})

test('a dump that was cut off is removed within hours, whatever goes on', async () => {
  await site('killed', { sqlUndo }, { 'sql-undo.sql': 1, 'sql-undo-new.sql.new': 1 }, 3)
  await site('running', { sqlUndo }, { 'sql-undo.sql': 1, 'sql-undo-new.sql.new': 1 }, 1)
  await createDumpCleanup(context())()
  expect([await kept('killed'), await kept('running')]).toEqual([
    ['sql-undo.sql'],
    ['sql-undo-new.sql.new', 'sql-undo.sql'],
  ])
})

test('an undo that began meanwhile is not given up', async () => {
  const record = await site('one', {}, {})
  await site('old', { sqlUndo }, { 'sql-undo.sql': 900 }, 5)
  const here = context()
  const change = here.store.change.bind(here.store)
  here.store.change = async (id, how) => {
    records.set('old', { ...(records.get('old') as SiteRecord), sqlUndo: { ...sqlUndo, stage: 'check' } })
    return change(id, how)
  }
  const asked = makeRoomForDump(here, record, { name: 'sql-undo-new', bytes: 900, tenantBytes: 1_000 })
  await expect(asked).rejects.toMatchObject({ code: 'unavailable' })
  expect(await kept('old')).toEqual(['sql-undo.sql'])
  expect(records.get('old')?.sqlUndo).toMatchObject({ stage: 'check' })
})

test('dumps of a site are bounded by its quota', async () => {
  const record = await site(
    'one',
    {},
    {
      'core-kept.sql': 900,
      'push-kept.sql': 900,
      'sql-undo.sql': 900,
      'sql-undo-new.sql': 900,
    },
  )
  expect(await makeRoomForDump(context(), record, { name: 'sql-undo-new', bytes: 900 })).toBe(1_300)
  await expect(makeRoomForDump(context(), record, { name: 'core-before', bytes: 900 })).rejects.toMatchObject({
    code: 'unavailable',
    nextAction: { text: expect.stringMatching(/^Copies of this database take up too much/) as string },
  })
})

test('dumps of a tenant are bounded: undos of its other sites make room, oldest first, and nobody else’s do', async () => {
  const record = await site('one', { sqlUndo }, { 'sql-undo.sql': 300 })
  await site('old', { sqlUndo }, { 'sql-undo.sql': 300, 'core-kept.sql': 300 }, 5)
  await site('new', { sqlUndo }, { 'sql-undo.sql': 300 }, 1)
  await site('going-on', { sqlUndo: { ...sqlUndo, stage: 'restore' } }, { 'sql-undo.sql': 300 }, 9)
  await site('other', { sqlUndo }, { 'sql-undo.sql': 300 }, 9)
  const ask = (bytes: number) => makeRoomForDump(context(), record, { name: 'sql-undo-new', bytes, tenantBytes: 1_700 })
  expect(await ask(200)).toBe(200)
  expect(await kept('old')).toHaveLength(2)
  expect(await ask(400)).toBe(500)
  expect(await kept('old')).toEqual(['core-kept.sql'])
  expect(records.get('old')?.sqlUndo).toBeUndefined()
  expect(await kept('new')).toEqual(['sql-undo.sql'])
  await expect(ask(900)).rejects.toMatchObject({
    code: 'unavailable',
    nextAction: { text: expect.stringMatching(/^Copies of the databases of your sites/) as string },
  })
  // 'new' would not have been enough, so it stays.
  for (const id of ['one', 'new', 'going-on', 'other']) expect(await kept(id), id).toEqual(['sql-undo.sql'])
})
