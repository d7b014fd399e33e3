import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { documentsOn, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { activityHash } from '#server/documents/documents.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { verifyChains } from '#server/features/activity/chain.ts'
import { verifyAudit } from '#server/features/activity/verify.ts'

let t: TestDocuments
let server: TestDatabase
beforeAll(async () => {
  server = await createProductDatabase()
  t = await documentsOn(server)
  await t.organization('acme')
  await t.organization('globex')
  const owner = sessionOf('owner@acme.example', 'acme')
  for (let n = 1; n <= 6; n += 1) await t.documents.save(owner, 'Organization', 'acme', { title: `Title ${n}` })
  const { db } = t.test.database
  // A trigger doesn't stop somebody with the database's own privileges.
  await sql`alter table tab_activity disable trigger user`.execute(db)
  await sql`create table kept_activity as select * from tab_activity`.execute(db)
  await sql`create table kept_head as select * from easydash_activity_head`.execute(db)
})
afterAll(() => t?.close())
beforeEach(async () => {
  const { db } = t.test.database
  await sql`delete from tab_activity`.execute(db)
  await sql`insert into tab_activity select * from kept_activity`.execute(db)
  await sql`delete from easydash_activity_head`.execute(db)
  await sql`insert into easydash_activity_head select * from kept_head`.execute(db)
})

/** No heads of this log were exported (`features/activity/heads.test.ts`). */
const nothingRecorded = (db: Db) => ({
  db,
  dataDir: '/nonexistent',
  heads: null,
  seals: () => Promise.reject(new Error('nobody needs the keys')),
})

async function verify(): Promise<{ intact: boolean; acme: string | undefined; globex: string | undefined }> {
  const lines: string[] = []
  const { db } = t.test.database
  const intact = await verifyAudit(nothingRecorded(db), (line) => void lines.push(line))
  const of = (chain: string) => lines.find((line) => line.slice(2).startsWith(`${chain}:`))
  return { intact, acme: of('acme'), globex: of('globex') }
}

interface Entry {
  name: string
  sequence: number
  hash: string
}

/** The activities of acme in order. */
async function entries(): Promise<Entry[]> {
  const { rows } = await sql<Entry>`select name, sequence, hash from tab_activity where organization = 'acme'
    order by sequence`.execute(t.test.database.db)
  return rows
}

test('an untouched log verifies; entries are counted and the last hash is printed', async () => {
  const all = await entries()
  expect(all.map((entry) => entry.sequence)).toEqual(all.map((_, at) => at + 1))
  expect(await verify()).toMatchObject({
    intact: true,
    acme: `✓ acme: ${all.length} entries fit, last hash ${all.at(-1)?.hash}`,
  })
})

const tampering: [string, (all: Entry[]) => ReturnType<typeof sql>, (all: Entry[]) => string][] = [
  [
    'a changed text',
    (all) => sql`update tab_activity set after = '{"title":"Other"}' where name = ${all[4]?.name}`,
    (all) => `entry ${all[4]?.name} of`,
  ],
  [
    'a changed actor',
    (all) => sql`update tab_activity set actor = 'eve@acme.example' where name = ${all[0]?.name}`,
    (all) => `entry ${all[0]?.name} of`,
  ],
  [
    'a removed entry in the middle',
    (all) => sql`delete from tab_activity where name = ${all[3]?.name}`,
    (all) => `one entry is missing between entry ${all[2]?.name}`,
  ],
  [
    'the first entries removed',
    (all) => sql`delete from tab_activity where name in (${all[0]?.name}, ${all[1]?.name})`,
    () => '2 entries are missing between the beginning and entry',
  ],
  [
    'two entries swapped',
    (all) => sql`update tab_activity set sequence = case name when ${all[2]?.name} then 4 else 3 end
      where name in (${all[2]?.name}, ${all[3]?.name})`,
    (all) => `entry ${all[3]?.name} of`,
  ],
  [
    'the last entries truncated',
    (all) => sql`delete from tab_activity where name in (${all.at(-1)?.name}, ${all.at(-2)?.name})`,
    (all) => `2 entries are missing after entry ${all.at(-3)?.name}`,
  ],
  [
    'all entries removed',
    () => sql`delete from tab_activity where organization = 'acme'`,
    () => 'entries are missing after the beginning',
  ],
  [
    'the head removed',
    () => sql`delete from easydash_activity_head where chain = 'acme'`,
    () => 'the head of the chain is missing',
  ],
  [
    'an entry moved to another organization',
    (all) => sql`update tab_activity set organization = 'globex' where name = ${all.at(-1)?.name}`,
    (all) => `one entry is missing after entry ${all.at(-2)?.name}`,
  ],
  [
    'the head set back with the entries',
    (all) => sql`with gone as (delete from tab_activity where name = ${all.at(-1)?.name})
      update easydash_activity_head set hash = ${all.at(-2)?.hash} where chain = 'acme'`,
    (all) => `one entry is missing after entry ${all.at(-2)?.name}`,
  ],
  [
    'a forged entry at the end',
    (all) => sql`insert into tab_activity select (jsonb_populate_record(t, jsonb_build_object('name', 'forged',
      'sequence', ${all.length + 1}::int))).* from tab_activity t where name = ${all.at(-1)?.name}`,
    () => 'entry forged of',
  ],
  [
    'a forged entry without a number',
    (all) => sql`insert into tab_activity select (jsonb_populate_record(t, jsonb_build_object('name', 'forged',
      'sequence', null))).* from tab_activity t where name = ${all.at(-1)?.name}`,
    () => 'entry forged of',
  ],
]

test.each(tampering)('%s is found and named', async (_what, change, words) => {
  const all = await entries()
  await change(all).execute(t.test.database.db)
  const found = await verify()
  expect(found.intact).toBe(false)
  expect(found.acme).toMatch(/^✗ acme: /)
  expect(found.acme).toContain(words(all))
})

test('entries and head of an organization removed together are missed', async () => {
  const { db } = t.test.database
  await sql`delete from tab_activity where organization = 'acme'`.execute(db)
  await sql`delete from easydash_activity_head where chain = 'acme'`.execute(db)
  expect(await verify()).toMatchObject({ intact: false, acme: expect.stringContaining('all entries and the head') })
  expect((await verify()).globex).toMatch(/^✓/)
})

test('an entry changed together with its own hash breaks the link to the next one', async () => {
  const all = await entries()
  const { db } = t.test.database
  const { rows } = await sql<Record<string, unknown>>`select * from tab_activity where name = ${all[3]?.name}`.execute(
    db,
  )
  const forged = { ...rows[0], actor: 'eve@acme.example' }
  await sql`update tab_activity set actor = 'eve@acme.example', hash = ${activityHash(forged)}
    where name = ${all[3]?.name}`.execute(db)
  expect((await verify()).acme).toContain(`entry ${all[4]?.name} of`)
})

test('reads page by page with any page size', async () => {
  for (const pageSize of [1, 2, 3]) {
    const found: (string | null)[] = []
    await verifyChains(t.test.database.db, ({ problem }) => found.push(problem), { pageSize })
    expect(found).toEqual([null, null, null])
  }
  for (const [, change] of tampering.slice(-2)) {
    await change(await entries()).execute(t.test.database.db)
    const problems: (string | null)[] = []
    await verifyChains(t.test.database.db, ({ problem }) => problems.push(problem), { pageSize: 2 })
    expect(problems.filter(Boolean)).toHaveLength(1)
    await sql`delete from tab_activity where name = 'forged'`.execute(t.test.database.db)
  }
})

test('the command proves a database named by DATABASE_URL, with nothing else running', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'audit-'))
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['scripts/easydash.mjs', 'audit', 'verify', ...args], {
      env: { ...process.env, DATABASE_URL: server.connectionString, EASYDASH_DATA_DIR: dataDir },
    })
  try {
    expect((await run()).stdout).toContain('The activity log is whole.')
    await expect(run('--heads', join(dataDir, 'gone'))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The file .*gone cannot be read \(ENOENT\)\.\n→ Usage: .*--heads FILE/),
    })
    await expect(run('--tails', 'x')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('Usage:') })
    const empty = join(dataDir, 'empty')
    await writeFile(empty, '')
    await expect(run('--heads', empty)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/no recorded heads[^]*only fits itself/),
    })
    await sql`delete from easydash_activity_head where chain = 'acme'`.execute(t.test.database.db)
    await expect(run()).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('✗ acme: the head') })
  } finally {
    await rm(dataDir, { recursive: true })
  }
})

test('a field that the description gains later leaves old hashes as they are', () => {
  const entry = { name: 'a', actor: 'ann@example.com', job: null, previous_hash: '' }
  expect(activityHash({ ...entry, new_field: null })).toBe(activityHash(entry))
  expect(activityHash({ ...entry, new_field: 'x' })).not.toBe(activityHash(entry))
})
