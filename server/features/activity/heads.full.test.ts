import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createProductDatabase } from '#tests/support/database.ts'
import { documentsOn, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { activityHash } from '#server/documents/documents.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { silentLog } from '#server/platform/log/log.ts'
import type { Mail } from '#server/platform/mail/mail.ts'
import { platformTables } from '#server/platform/database/platform-tables.ts'
import { createSecrets, type Secrets } from '#server/platform/secrets/secrets.ts'
import { createHeadExport, type HeadExport } from './head-export.ts'
import { headFilePath } from './head-file.ts'
import { linesIn, parseLine, textOf } from './head-lines.ts'
import { verifyAudit } from './verify.ts'

const key = (fill: number) => `v1:${Buffer.alloc(32, fill).toString('base64')}`
let t: TestDocuments
let dataDir: string
let secrets: Secrets
let mails: Mail[]
let findings: unknown[]
let exports: HeadExport[]
const owner = sessionOf('owner@acme.example', 'acme')
const db = () => t.test.database.db
const file = () => headFilePath(dataDir)
const lines = async () =>
  (await readFile(file(), 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => parseLine(line))

beforeAll(async () => {
  const server = await createProductDatabase()
  t = await documentsOn(server)
  await platformTables(db())
  await t.organization('acme')
  await t.organization('globex')
  await act(3)
  await sql`update tab_user set role_profile_name = 'Easydash Admin', email_verified = 1 where name = 'owner@acme.example'`.execute(
    db(),
  )
  await sql`create table kept_activity as select * from tab_activity`.execute(db())
  await sql`create table kept_head as select * from easydash_activity_head`.execute(db())
  await sql`create table kept_organization as select * from tab_organization`.execute(db())
})
afterAll(() => t?.close())
beforeEach(async () => {
  await asDatabaseWriter(async () => {
    await sql`delete from tab_activity`.execute(db())
    await sql`insert into tab_activity select * from kept_activity`.execute(db())
    await sql`delete from easydash_activity_head`.execute(db())
    await sql`insert into easydash_activity_head select * from kept_head`.execute(db())
    await sql`insert into tab_organization select * from kept_organization on conflict do nothing`.execute(db())
  })
  dataDir = await mkdtemp(join(tmpdir(), 'heads-'))
  secrets = await createSecrets({ database: t.test.database, source: { secretKeys: key(1), dataDir } })
  mails = []
  findings = []
  exports = []
})
afterEach(async () => {
  for (const one of exports) await one.stop()
  await rm(dataDir, { recursive: true })
})

/** Changes the organization this many times. */
async function act(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1)
    await t.documents.save(owner, 'Organization', 'acme', { title: `Title ${Math.random()}` })
}

/** What somebody with full access to the database can do; triggers do not stop them. */
async function asDatabaseWriter(work: () => Promise<void>): Promise<void> {
  await sql`alter table tab_activity disable trigger user`.execute(db())
  await work()
  await sql`alter table tab_activity enable trigger user`.execute(db())
}

function exporter(): HeadExport {
  const made = createHeadExport({
    db: db(),
    dataDir,
    seals: secrets,
    mailsCheckpoints: false,
    clock: systemClock,
    log: { ...silentLog, error: (_text, fields) => void findings.push(fields?.['findings'] ?? fields) },
    sender: { productName: 'Easydash', url: 'http://localhost:8080' },
    send: async (mail) => void mails.push(mail),
    url: null,
  })
  exports.push(made)
  return made
}

async function verify(heads: string | null = null): Promise<{ intact: boolean; output: string }> {
  const output: string[] = []
  const intact = await verifyAudit(
    { db: db(), dataDir, heads, seals: () => Promise.resolve(secrets) },
    (line) => void output.push(line),
  )
  return { intact, output: output.join('\n') }
}

/** Recomputes acme's chain from an entry on, including its head, as if the entries had been different. */
async function recompute(from: number, change: (row: Record<string, unknown>) => Record<string, unknown>) {
  await asDatabaseWriter(async () => {
    const { rows } = await sql<Record<string, unknown>>`select * from tab_activity where organization = 'acme'
      order by sequence`.execute(db())
    let previous = ''
    for (const row of rows) {
      const next: Record<string, unknown> = {
        ...(row['sequence'] === from ? change(row) : row),
        previous_hash: previous,
      }
      previous = activityHash(next)
      await sql`update tab_activity set actor = ${next['actor']}, previous_hash = ${next['previous_hash']},
        hash = ${previous} where name = ${row['name']}`.execute(db())
    }
    await sql`update easydash_activity_head set hash = ${previous} where chain = 'acme'`.execute(db())
  })
}
const forge = (from: number) => recompute(from, (row) => ({ ...row, actor: 'innocent@acme.example' }))

/** Removes the newest entries as if they had never existed. */
async function truncate(count: number): Promise<void> {
  await asDatabaseWriter(async () => {
    await sql`delete from tab_activity where name in (select name from tab_activity where organization = 'acme'
      order by sequence desc limit ${count})`.execute(db())
    await sql`update easydash_activity_head h set (hash, entries) = (select a.hash, a.sequence from tab_activity a
      where organization = 'acme' order by sequence desc limit 1) where chain = 'acme'`.execute(db())
  })
}

/** Removes everything of the organization. */
async function erase(): Promise<void> {
  await asDatabaseWriter(async () => {
    await sql`delete from tab_activity where organization = 'acme'`.execute(db())
    await sql`delete from easydash_activity_head where chain = 'acme'`.execute(db())
    await sql`delete from tab_organization where name = 'acme'`.execute(db())
  })
}

test('heads are recorded in a file of ours alone, when they change', async () => {
  const heads = exporter()
  await heads.record()
  const first = await lines()
  expect(first.map((line) => String(line?.chain)).toSorted()).toEqual(['', 'acme', 'globex'])
  expect(first.map((line) => line?.n)).toEqual([1, 2, 3])
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(file())).mode & 0o777).toBe(0o700)
  await heads.record()
  expect(await lines()).toEqual(first)
  await act(2)
  await heads.record()
  const [added, ...none] = (await lines()).slice(3)
  expect(none).toEqual([])
  expect(added).toMatchObject({
    n: 4,
    chain: 'acme',
    entries: (first.find((line) => line?.chain === 'acme')?.entries ?? 0) + 2,
  })
  expect(findings).toEqual([])
  expect(await verify()).toMatchObject({
    intact: true,
    output: expect.stringContaining('compared with 4 recorded heads'),
  })
  // After a restart, the product continues the same file.
  await act(1)
  await exporter().record()
  expect((await lines()).at(-1)).toMatchObject({ n: 5, chain: 'acme', file: first[0]?.file })
  expect((await verify()).intact).toBe(true)
})

const forgeries: [string, () => Promise<unknown>, RegExp, RegExp][] = [
  [
    'a changed entry with the whole chain computed anew',
    () => forge(2),
    /^✗ acme: the log was computed anew from the beginning on: entry \w+ of .* is not the one that was recorded on .* \(line \d of .*heads\.log\)/m,
    /acme: entry number \d+ is gone or another one than on/,
  ],
  [
    'the newest entries taken away together with the head',
    () => truncate(2),
    /^✗ acme: 2 entries are missing after entry \w+ of .*: there were \d+ on .*heads\.log\)/m,
    /acme: entry number \d+ is gone or another one than on/,
  ],
  [
    'an organization erased with its whole log',
    () => erase(),
    /^✗ acme: (?:all entries and the head|the head|\d+ entries).* missing/m,
    /acme: entry number \d+ is gone/,
  ],
]

describe.each(forgeries)('%s', (_what, attack, output, finding) => {
  test('fits itself, but not what was recorded', async () => {
    await exporter().record()
    const { intact: isIntact } = await (async () => {
      await attack()
      const kept = dataDir
      dataDir = join(dataDir, 'without-heads')
      const result = await verify()
      dataDir = kept
      return result
    })()
    expect(isIntact, 'the chain alone cannot tell').toBe(true)
    const found = await verify()
    expect(found.intact).toBe(false)
    expect(found.output).toMatch(output)
    expect(found.output).toMatch(/^✓ globex/m)
  })

  test('the running product detects it, records nothing of it and alerts the platform admins once', async () => {
    const heads = exporter()
    await heads.record()
    const before = await lines()
    await attack()
    await heads.record()
    await heads.record()
    expect(await lines()).toEqual(before)
    expect(findings).toEqual([[expect.stringMatching(finding)]])
    expect(mails).toEqual([expect.objectContaining({ to: 'owner@acme.example', kind: 'audit_alarm' })])
    expect(mails[0]?.text).toMatch(finding)
  })

  test('is shown by the mail of an earlier day alone, when the file was taken away, too', async () => {
    await exporter().mailCheckpoint()
    const mail = join(dataDir, 'mail.txt')
    // As quoted and wrapped by a mail program.
    const quoted = (mails[0]?.text ?? '').split('\n').flatMap((line) => line.match(/.{1,70}/g) ?? [''])
    await writeFile(mail, quoted.map((line) => `> ${line}`).join('\r\n'))
    await rm(dirname(file()), { recursive: true })
    expect((await verify(mail)).intact).toBe(true)
    await attack()
    const found = await verify(mail)
    expect(found.intact).toBe(false)
    expect(found.output).toContain('there is no such file')
    expect(found.output).toMatch(/^✗ acme: /m)
  })
})

test('narrows the forgery down between two recorded heads', async () => {
  const heads = exporter()
  await heads.record()
  const recorded = (await lines()).find((line) => line?.chain === 'acme')?.entries ?? 0
  await act(2)
  await heads.record()
  await forge(recorded + 1)
  expect((await verify()).output).toMatch(
    new RegExp(`^✗ acme: the log was computed anew after entry number ${recorded}: entry`, 'm'),
  )
})

describe('the file itself', () => {
  beforeEach(async () => {
    const heads = exporter()
    await heads.record()
    await act(1)
    await heads.record()
  })

  test('rejects lines that were written or changed without the keys', async () => {
    const forged = (await lines()).map((line) =>
      line?.chain === 'acme' ? { ...line, entries: line.entries - 1 } : line,
    )
    await writeFile(file(), forged.map((line) => line && textOf(line)).join('\n'))
    const found = await verify()
    expect(found.intact).toBe(false)
    expect(found.output).toMatch(/heads\.log: line \d does not bear this installation’s seal/)
    secrets = await createSecrets({ database: t.test.database, source: { secretKeys: key(1), dataDir } })
    await exporter().record()
    expect(JSON.stringify(findings)).toMatch(/heads\.log: line \d does not follow the one before/)
  })

  test('a missing line, a swapped one and one of another file are named', async () => {
    const all = (await readFile(file(), 'utf8')).split('\n').filter(Boolean)
    for (const [changed, words] of [
      [all.toSpliced(1, 1), 'line 2 is missing'],
      [[...all.slice(0, 1), all[2], all[1], ...all.slice(3)], 'line 2 is missing'],
      [all.slice(1), 'line 1 is missing'],
      [[...all, all[0]], 'line 1 stands after line 4'],
    ] as const) {
      await writeFile(file(), changed.join('\n'))
      expect(await verify()).toMatchObject({ intact: false, output: expect.stringContaining(words) })
    }
  })

  test('a copy reveals a truncation; the running product detects it immediately', async () => {
    const copy = join(dataDir, 'copy.log')
    const whole = await readFile(file(), 'utf8')
    await writeFile(copy, whole)
    expect(await verify(copy)).toMatchObject({ intact: true })
    const heads = exporter()
    await heads.record()
    await writeFile(file(), `${whole.trimEnd().split('\n').slice(0, -1).join('\n')}\n`)
    expect((await verify(copy)).output).toContain('it ends with line 3, and the copy has line 4')
    await heads.record()
    expect(JSON.stringify(findings)).toContain('was cut or removed after line 4')
  })

  test('a line that a crash cut short is passed over', async () => {
    await appendFile(file(), '{"n":5,"file":"0')
    await act(1)
    await exporter().record()
    expect((await verify()).intact).toBe(true)
    expect(findings).toEqual([])
  })

  test('without the key ring, or with its data key removed from the database, nothing passes for genuine', async () => {
    await sql`delete from easydash_data_key where scope = 'audit heads'`.execute(db())
    secrets = await createSecrets({ database: t.test.database, source: { secretKeys: key(1), dataDir } })
    expect(await verify()).toMatchObject({ intact: false, output: expect.stringContaining('does not bear') })
  })

  test('a file without lines of this installation proves nothing', async () => {
    const other = join(dataDir, 'other.txt')
    await writeFile(other, 'Dear Ann,\n{"n":1}\n')
    const found = await verify(other)
    expect(found.intact).toBe(false)
    expect(found.output).toContain('holds no recorded heads')
    expect(found.output).toContain('fits what this installation recorded itself')
  })

  test('a copy that was changed is no sign of tampering with the log', async () => {
    const copy = join(dataDir, 'copy.log')
    const [line] = await lines()
    await writeFile(copy, line ? textOf({ ...line, hash: 'f'.repeat(line.hash.length) }) : '')
    const found = await verify(copy)
    expect(found.intact).toBe(false)
    expect(found.output).toContain('fits what this installation recorded itself')
    expect(found.output).not.toContain('tampered')
  })

  test('a genuine copy of an installation whose own file and key were removed is not called fitting', async () => {
    const copy = join(dataDir, 'copy.log')
    await writeFile(copy, await readFile(file(), 'utf8'))
    await rm(dirname(file()), { recursive: true })
    await sql`delete from easydash_data_key where scope = 'audit heads'`.execute(db())
    secrets = await createSecrets({ database: t.test.database, source: { secretKeys: key(1), dataDir } })
    const found = await verify(copy)
    expect(found.intact).toBe(false)
    expect(found.output).toContain('only fits itself, which proves nothing')
    expect(found.output).not.toContain('what this installation recorded itself')
  })
})

test('the daily email contains the newest line of each chain, and is skipped without activity', async () => {
  const heads = exporter()
  await heads.mailCheckpoint()
  await heads.mailCheckpoint()
  expect(mails).toHaveLength(1)
  expect(mails[0]).toMatchObject({ to: 'owner@acme.example', kind: 'audit_checkpoint' })
  const inMail = []
  for await (const line of linesIn(rowsOf(mails[0]?.text ?? ''))) inMail.push(line)
  expect(inMail).toEqual(await lines())
  await act(1)
  await heads.mailCheckpoint()
  expect(mails).toHaveLength(2)
})

async function* rowsOf(content: string): AsyncGenerator<string> {
  for (const row of content.split('\n')) yield row
}

test('records on start, and once more on stop', async () => {
  const heads = exporter()
  heads.start()
  await expect.poll(() => readFile(file(), 'utf8').catch(() => '')).toContain('"n":3')
  await act(1)
  await heads.stop()
  expect(await lines()).toHaveLength(4)
})
