import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { heldBy, makeInstallation, type Installation } from '#tests/support/installation.ts'
import { auditVerify } from './audit.ts'
import { lockDataDir } from '#server/platform/config/data-dir.ts'
import { exportCommand, importCheckCommand, importCommand } from './transfer.ts'
import { emptyDoc, insertRow } from '#server/documents/store/rows.ts'
import { startFixture } from '#server/engines/local/engine-fixture.ts'
import { systemSession } from '#server/jobs/session.ts'
import { openDataDir } from '#server/platform/config/data-dir.ts'
import { loadKeyring } from '#server/platform/secrets/keyring-source.ts'
import { machineId } from '#server/platform/processes/machine-id.ts'
import { createSecrets } from '#server/platform/secrets/secrets.ts'
import { migrate, schemaVersion } from '#server/tables.ts'
import { importInstance } from '#server/transfer/import.ts'
import { finishInterruptedImport } from '#server/transfer/unfinished-import.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

const email = 'owner@acme.example'
const password = 'Correct-Horse-42!'
const upload = `${'0a'.repeat(20)}.txt`
const secretContext = { scope: 'acme', aad: 'acme|test|place' }

let source: Installation
let folder: string
/** A complete archive of `source`. */
let archive: string
let sealed: string
let targets: Installation[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'transfer-'))
  source = await makeInstallation({ EASYDASH_PRODUCT_NAME: 'Acme Hosting' })
  await openDataDir(source.dataDir)
  await source.withServices(async ({ accounts, documents }) => {
    await accounts.createAccount({ email, password, first_name: 'Own', platformAdmin: true })
    await documents.transaction({ ...systemSession(), user: email }, (tx) =>
      tx.insert(OrganizationDoctype, { title: 'Acme', slug: 'acme' }),
    )
    await accounts.sessions.create(email, { ip: '127.0.0.1', userAgent: 'test' })
  })
  const { db } = source.database
  const secrets = await createSecrets({ database: source.database, source: keysOf(source) })
  sealed = await secrets.seal(secretContext, 'the secret')
  // Values that COPY has to escape.
  await row('Saved View', {
    name: 'view000001',
    organization: 'acme',
    title: 'tab\t \\N \\ "line"\n ü 🦊',
    filters: [['a', '=', '\\']],
  })
  await row('File', {
    name: 'file000001',
    organization: 'acme',
    file_name: 'a.txt',
    stored_name: upload,
    is_private: 1,
  })
  await row('Job', {
    name: 'job0000001',
    organization: 'acme',
    job_type: 'site.create',
    status: 'Running',
    steps: [
      { key: 'a', status: 'Done' },
      { key: 'b', status: 'Running' },
    ],
  })
  await row('Job', { name: 'job0000002', organization: 'acme', job_type: 'site.create', status: 'Done' })
  await mkdir(join(source.dataDir, 'files', '0a'), { recursive: true })
  await writeFile(join(source.dataDir, 'files', '0a', upload), 'uploaded')
  const host = `local:${await machineId(source.dataDir)}`
  await row('Server', {
    name: 'server0001',
    organization: 'acme',
    hostname: 'here',
    engine: 'local',
    engine_host: host,
    status: 'Healthy',
    locked_by_job: 'job0000001',
  })
  await row('WPC Site', {
    name: 'wpc0000001',
    organization: 'acme',
    domain: 'one.example',
    status: 'Setting Up',
    is_ordered: 1,
    locked_by_job: 'job0000001',
  })
  const site = { organization: 'acme', server: 'server0001', engine: 'local', engine_host: host }
  await row('Site', { ...site, name: 'plain00001', domain: 'plain', site_type: 'html', status: 'Live' })
  await makeSite()
  await sql`update tab_site set engine_host = ${host} where engine = 'local'`.execute(db)
  vi.stubEnv('EASYDASH_PRODUCT_NAME', 'Acme Hosting')
  archive = await exportOf(source)
  vi.unstubAllEnvs()
})
afterAll(async () => {
  await source?.end()
  if (folder) await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  targets = []
})
afterEach(async () => {
  for (const one of targets) await one.end()
})

const keysOf = ({ dataDir }: Installation) => ({ dataDir, secretKeys: null })

/** Inserts a row without running hooks. */
async function row(doctype: string, values: Record<string, unknown>): Promise<void> {
  const type = doctypes.find(({ name }) => name === doctype)
  if (!type) throw new Error(doctype)
  const now = '2026-01-02 03:04:05.000000'
  const accessContext = { owner: email, modified_by: email, creation: now, modified: now }
  await insertRow(source.database.db, type, { ...emptyDoc(type), ...accessContext, ...values } as never, {})
}

/** Creates a real site in the source's folder, with files that an export must handle specially. */
async function makeSite(): Promise<void> {
  const fixture = await startFixture({ dataDir: source.dataDir })
  try {
    const plain = await fixture.create({ id: 'plain00001', domain: 'plain', siteType: 'html' })
    await fixture.writeFile(plain, 'empty.txt', '')
    await fixture.writeFile(plain, 'large.bin', randomBytes(5 * 1024 * 1024).toString('base64'))
    const www = join(source.dataDir, 'local', 'sites', 'plain00001', 'www')
    await symlink('/etc/passwd', join(www, 'link'))
  } finally {
    await fixture.end()
  }
}

async function exportOf(
  installation: Installation,
  name = `${randomBytes(4).toString('hex')}.export`,
): Promise<string> {
  const path = join(folder, name)
  await exportCommand([path], installation.config, installation.database, () => undefined)
  return path
}

/** An empty installation with the keys of the source. */
async function emptyWithKeys(): Promise<Installation> {
  const made = await makeInstallation()
  await openDataDir(made.dataDir)
  await cp(join(source.dataDir, 'keys'), join(made.dataDir, 'keys'))
  return made
}

/** The same, for one test. */
async function target(): Promise<Installation> {
  const made = await emptyWithKeys()
  targets.push(made)
  return made
}

async function importInto(into: Installation, path: string): Promise<string[]> {
  const lines: string[] = []
  await importCommand([path], into.config, into.database, (line) => lines.push(line))
  return lines
}

async function rowsOf({ database }: Installation, table: string): Promise<unknown[]> {
  const { rows } = await sql<{ row: unknown }>`select to_jsonb(t) as row from ${sql.id(table)} t order by 1`.execute(
    database.db,
  )
  return rows.map(({ row: one }) => one)
}

describe('a round trip', () => {
  test('brings rows, secrets, uploads and sites that run', async () => {
    const into = await target()
    const lines = await importInto(into, archive)
    expect(lines).toContain('There EASYDASH_PRODUCT_NAME was Acme Hosting; here it is Easydash.')
    for (const table of [
      'tab_user',
      'tab_organization',
      'tab_saved_view',
      'tab_plan',
      'tab_file',
      'easydash_credential',
      'easydash_data_key',
    ])
      expect([table, await rowsOf(into, table)]).toEqual([table, await rowsOf(source, table)])
    const secrets = await createSecrets({ database: into.database, source: keysOf(into) })
    expect(await secrets.open(secretContext, sealed)).toBe('the secret')
    expect(await readFile(join(into.dataDir, 'files', '0a', upload), 'utf8')).toBe('uploaded')
    const large = 'local/sites/plain00001/www/large.bin'
    expect((await readFile(join(into.dataDir, large))).equals(await readFile(join(source.dataDir, large)))).toBe(true)
    expect(existsSync(join(into.dataDir, 'local/sites/plain00001/www/link'))).toBe(false)
    const fixture = await startFixture({ dataDir: into.dataDir })
    try {
      expect((await fixture.fetch({ domain: 'plain' }, '/empty.txt')).status).toBe(200)
    } finally {
      await fixture.end()
    }
  })

  test('keeps the chain of the log, and writes itself into it', async () => {
    const into = await target()
    await importInto(into, archive)
    const lines: string[] = []
    expect(await auditVerify([], into.config, into.database, (line) => lines.push(line)), lines.join('\n')).toBe(true)
    const { rows } = await sql<{ action: string; via: string }>`select action, via from tab_activity
      where organization is null order by sequence desc limit 2`.execute(into.database.db)
    expect(rows).toEqual([
      { action: 'Installation.import', via: 'terminal' },
      { action: 'Installation.export', via: 'terminal' },
    ])
  })

  test('leaves sign-ins behind, ends jobs, and gives the sites to this machine', async () => {
    const into = await target()
    await importInto(into, archive)
    expect(await rowsOf(into, 'easydash_session')).toEqual([])
    expect((await rowsOf(source, 'easydash_session')).length).toBe(1)
    const { rows: jobs } = await sql`select name, status, steps from tab_job order by name`.execute(into.database.db)
    expect(jobs).toEqual([
      {
        name: 'job0000001',
        status: 'Failed',
        steps: [
          { key: 'a', status: 'Done' },
          { key: 'b', status: 'Failed' },
        ],
      },
      { name: 'job0000002', status: 'Done', steps: null },
    ])
    const { rows: held } = await sql`select name, status, locked_by_job from tab_server
      union all select name, status, locked_by_job from tab_wpc_site order by name`.execute(into.database.db)
    expect(held).toEqual([
      { name: 'server0001', status: 'Healthy', locked_by_job: null },
      { name: 'wpc0000001', status: 'Failed', locked_by_job: null },
    ])
    const { rows: hosts } = await sql`select distinct engine_host from tab_site
      union select engine_host from tab_server`.execute(into.database.db)
    expect(hosts).toEqual([{ engine_host: `local:${await machineId(into.dataDir)}` }])
    await into.withServices(async ({ accounts }) => expect(await accounts.hasAccounts()).toBe(true))
  })

  test('an archive can be looked at without writing', async () => {
    const into = await target()
    const lines: string[] = []
    // As beside a running installation, which holds the data folder.
    const release = await lockDataDir(into.dataDir)
    try {
      expect(await importCheckCommand([archive, '--check'], into.config, (line) => lines.push(line))).toBe(true)
    } finally {
      await release()
    }
    expect(lines[0]).toMatch(/^The archive is whole: \d+ rows, 1 uploads and 1 sites/)
    expect(await heldBy(into)).toEqual([])
  })
})

describe('an export', () => {
  test('shows nothing of what it holds, and is for its owner alone', async () => {
    const bytes = await readFile(archive)
    expect((await stat(archive)).mode & 0o777).toBe(0o600)
    const keys = (await readFile(join(source.dataDir, 'keys'), 'utf8')).trim().split(':')[1] ?? ''
    for (const text of [email, 'uploaded', 'tab_user', keys]) expect(bytes.includes(text)).toBe(false)
    expect(bytes.includes(Buffer.from(keys, 'base64'))).toBe(false)
  })

  test('never replaces a file, and refuses what would not be whole', async () => {
    await expect(exportCommand([archive], source.config, source.database, () => undefined)).rejects.toThrow(
      'exists already',
    )
    const { db } = source.database
    await sql`update tab_site set status = 'Archiving' where name = 'plain00001'`.execute(db)
    await expect(exportOf(source, 'busy.export')).rejects.toThrow('being archived, restored or deleted: plain.')
    await sql`update tab_site set status = 'Live', engine_host = 'local:deadbeef' where name = 'plain00001'`.execute(db)
    await expect(exportOf(source, 'far.export')).rejects.toThrow('on other machines: plain.')
    await sql`update tab_site set engine_host = ${`local:${await machineId(source.dataDir)}`}`.execute(db)
    expect(existsSync(join(folder, 'busy.export'))).toBe(false)
    expect((await readdir(source.dataDir)).filter((name) => name.startsWith('export'))).toEqual([])
  })
})

describe('an import refuses, and leaves nothing:', () => {
  test('an installation in use', async () => {
    const into = await target()
    await into.withServices(({ accounts }) => accounts.createAccount({ email, password, first_name: 'Own' }))
    await expect(importInto(into, archive)).rejects.toThrow('in use: it has accounts')
    const full = await target()
    await mkdir(join(full.dataDir, 'local', 'sites', 'abcdefghij'), { recursive: true })
    await expect(importInto(full, archive)).rejects.toThrow('is not empty')
    expect(existsSync(join(full.dataDir, 'local', 'sites', 'abcdefghij'))).toBe(true)
  })

  test('rejects other keys, no keys, and a file that is not an archive', async () => {
    const into = await target()
    await rm(join(into.dataDir, 'keys'))
    await expect(importInto(into, archive)).rejects.toThrow('is missing')
    await loadKeyring(keysOf(into))
    await expect(importInto(into, archive)).rejects.toThrow('made with other secret keys')
    await writeFile(join(folder, 'text'), 'text '.repeat(100))
    await expect(importInto(into, join(folder, 'text'))).rejects.toThrow('is no archive of Easydash')
    expect(await heldBy(into)).toEqual([])
  })

  test('an archive that is cut, changed, or continued', async () => {
    const into = await target()
    const whole = await readFile(archive)
    const wrong: [Buffer, RegExp][] = [
      [whole.subarray(0, whole.length - 1), /not whole/],
      [whole.subarray(0, Math.floor(whole.length / 2)), /not whole/],
      [whole.subarray(0, 40), /not whole/],
      [Buffer.concat([whole, Buffer.from([0])]), /damaged/],
      ...[16, 20, 30, 50, Math.floor(whole.length / 2), whole.length - 1].map((at): [Buffer, RegExp] => {
        const changed = Buffer.from(whole)
        changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
        return [changed, /damaged|was changed|secret key|format|not whole/]
      }),
    ]
    const path = join(folder, 'wrong')
    for (const [bytes, reason] of wrong) {
      await writeFile(path, bytes)
      await expect(importInto(into, path)).rejects.toThrow(reason)
    }
    await migrate(into.database)
    expect(await heldBy(into)).toEqual([])
    await importInto(into, archive)
    expect((await rowsOf(into, 'tab_site')).length).toBe(1)
  })
})

describe('exports sites that take longer than the idle limit of a transaction', () => {
  /** Sets the idle timeout of new connections to its database; the built-in one allows a minute. */
  const allowIdle = async ({ database }: Installation, time: string): Promise<void> => {
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(database.db)
    await sql`alter database ${sql.id(rows[0]?.name ?? '')} set idle_in_transaction_session_timeout = ${sql.lit(time)}`.execute(
      database.db,
    )
  }
  const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)

  test('are exported', async () => {
    await allowIdle(source, '200ms')
    try {
      const path = join(folder, 'slow.export')
      await exportCommand([path], source.config, source.database, pause)
      expect(existsSync(path)).toBe(true)
    } finally {
      await allowIdle(source, '0')
    }
  })

  test('are imported', async () => {
    const into = await target()
    await migrate(into.database)
    await allowIdle(into, '1min')
    const limits: unknown[] = []
    await importInstance({
      ...into,
      ring: await loadKeyring(keysOf(into), false),
      source: archive,
      here: { schema: { version: schemaVersion }, machine: 'this' },
      seeded: [],
      async record(trx) {
        limits.push(...(await sql`show idle_in_transaction_session_timeout`.execute(trx)).rows)
      },
      print: () => undefined,
      signal: AbortSignal.timeout(300_000),
    })
    expect(limits).toEqual([{ idle_in_transaction_session_timeout: '0' }])
    expect((await rowsOf(into, 'tab_site')).length).toBe(1)
  })
})

describe('an import that is killed', () => {
  test('after its rows were written is done: its files stay', async () => {
    const into = await target()
    await importInto(into, archive)
    const { rows } = await sql<{ id: string }>`select after->>'import' as id from tab_activity
      where action = 'Installation.import'`.execute(into.database.db)
    await writeFile(join(into.dataDir, 'import.json'), JSON.stringify({ import: rows[0]?.id }))
    expect(await finishInterruptedImport(into.dataDir, into.database.db)).toBe(false)
    expect(existsSync(join(into.dataDir, 'files', '0a', upload))).toBe(true)
    expect(existsSync(join(into.dataDir, 'import.json'))).toBe(false)
  })
})
