import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { keyFinding, rotateKeys } from './keys.ts'
import { addKey, loadKeyring } from '#server/platform/secrets/keyring-source.ts'
import { platformTables } from '#server/platform/database/platform-tables.ts'
import { createSecrets, type Secrets } from '#server/platform/secrets/secrets.ts'

let server: TestDatabase
let dataDir: string
const source = () => ({ secretKeys: null, dataDir })
const open = () => createSecrets({ database: server.database, source: source() })
const versions = async () => (await loadKeyring(source(), false)).versions
const at = (n: number) => ({ scope: `org${n}`, aad: 'a' })

beforeAll(async () => {
  server = await createTestDatabase()
  await platformTables(server.database.db)
})
afterAll(() => server.drop())
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'keys-'))
})
afterEach(async () => {
  await server.database.pool.query('truncate easydash_data_key, easydash_key_check')
  await rm(dataDir, { recursive: true })
})

/** Seals a value in each of many scopes; returns them for `expectAllDecrypt`. */
const sealMany = (secrets: Secrets, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => secrets.seal(at(n), `secret ${n}`)))

async function expectAllDecrypt(sealed: readonly string[]): Promise<void> {
  const fresh = await open()
  expect(await Promise.all(sealed.map((text, n) => fresh.open(at(n), text)))).toEqual(
    sealed.map((_, n) => `secret ${n}`),
  )
}

async function rotate(): Promise<string[]> {
  const output: string[] = []
  await rotateKeys(server.database, source(), (line) => output.push(line))
  return output
}

test('adds a key, prints its progress and drops the old key; all values still decrypt', async () => {
  const sealed = await sealMany(await open(), 120)
  expect(await rotate()).toEqual([
    'Added key v2.',
    '50 of 120 data keys',
    '100 of 120 data keys',
    '120 of 120 data keys',
    '120 data keys were encrypted again; all of them are under key v2.',
    'Dropped v1.',
  ])
  expect(await versions()).toEqual([2])
  expect(await readFile(join(dataDir, 'keys'), 'utf8')).not.toContain('v1:')
  await expectAllDecrypt(sealed)
  expect(await rotate()).toContain('Added key v3.')
  await expectAllDecrypt(sealed)
})

test('reads and writes continue during the rotation, and processes with the old ring create lasting keys', async () => {
  const running = await open()
  const stale = await open()
  const sealed = await sealMany(running, 200)
  let finished = false
  let made = 1000
  const written = new Map<number, string>()
  const work = async (secrets: Secrets) => {
    while (!finished) {
      const n = made++
      written.set(n, await secrets.seal(at(n), `secret ${n}`))
      const one = n % sealed.length
      // A process that never opened this scope before reads the key from the table during the rotation.
      expect(await secrets.open(at(one), sealed[one] as string)).toBe(`secret ${one}`)
    }
  }
  const workers = [work(running), work(stale), work(await open())]
  await rotate()
  const atEnd = made
  await expect.poll(() => made).toBeGreaterThan(atEnd + 20)
  finished = true
  await Promise.all(workers)
  expect(written.size).toBeGreaterThan(20)
  expect(await versions()).toEqual([2])
  await expectAllDecrypt(sealed)
  const fresh = await open()
  for (const [n, text] of written) expect(await fresh.open(at(n), text)).toBe(`secret ${n}`)
  const { rows } = await server.database.pool.query('select distinct ring_version from easydash_data_key')
  expect(rows).toEqual([{ ring_version: 2 }])
})

test('a killed rotation continues with the same new key on the next call', async () => {
  const sealed = await sealMany(await open(), 400)
  const command = spawn(process.execPath, ['scripts/easydash.mjs', 'keys', 'rotate'], {
    env: { ...process.env, DATABASE_URL: server.connectionString, EASYDASH_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // The third batch waits for this row, so that the kill always happens in the middle.
  const blocker = await server.database.pool.connect()
  await blocker.query('begin')
  await blocker.query("select 1 from easydash_data_key where scope = 'org250' for update")
  let output = ''
  command.stdout.on('data', (chunk) => (output += String(chunk)))
  await expect.poll(() => output).toContain('100 of 400')
  const ended = once(command, 'exit')
  command.kill('SIGKILL')
  await ended
  await blocker.query('rollback')
  blocker.release()
  const { rows } = await server.database.pool.query(
    'select ring_version, count(*)::int as n from easydash_data_key group by 1 order by 1',
  )
  expect(rows.map((row) => row.ring_version)).toEqual([1, 2])
  expect(await versions()).toEqual([2, 1])
  await expectAllDecrypt(sealed)
  expect((await keyFinding(server.database, source())).text).toMatch(/v2 guards \d+ data keys, v1 guards \d+ data keys/)

  // The lock of the killed process is released with its connection, once PostgreSQL notices.
  await expect
    .poll(() =>
      rotate().then(
        (lines) => lines[0],
        () => null,
      ),
    )
    .toBe('Going on with the rotation to key v2.')
  expect(await versions()).toEqual([2])
  await expectAllDecrypt(sealed)
  expect(await keyFinding(server.database, source())).toEqual({
    isWarning: false,
    text: 'Secret keys: v2 guards 400 data keys',
  })
})

test('no process uses the old key again after a kill between retiring and dropping it', async () => {
  const sealed = await sealMany(await open(), 3)
  const stale = await open()
  await addKey(source())
  const command = await open()
  await command.rotate()
  await command.retire()
  // A start in between must not make the old key valid again.
  await open()
  await stale.seal({ scope: 'late', aad: 'a' }, 'x')
  const { rows } = await server.database.pool.query("select ring_version from easydash_data_key where scope = 'late'")
  expect(rows).toEqual([{ ring_version: 2 }])
  await rotate()
  await expectAllDecrypt(sealed)
})

test('keeps a key that is in use, and reports a missing one', async () => {
  await sealMany(await open(), 3)
  await addKey(source())
  const command = await open()
  await expect(command.retire()).rejects.toMatchObject({ name: 'KeyInUseError', versions: [1] })
  const { rows } = await server.database.pool.query('select version from easydash_key_check order by 1')
  expect(rows).toEqual([{ version: 1 }, { version: 2 }])
})

test('one rotation at a time', async () => {
  await sealMany(await open(), 1)
  const other = await server.database.pool.connect()
  await other.query('select pg_advisory_lock(4036817216)')
  await expect(rotate()).rejects.toMatchObject({ message: 'Another rotation of the keys is running.' })
  await other.query('select pg_advisory_unlock(4036817216)')
  other.release()
  expect(await versions()).toEqual([1])
})

test('with EASYDASH_SECRET_KEYS the operator adds and removes keys, and the output says when', async () => {
  const key = (version: number) => `v${version}:${Buffer.alloc(32, version).toString('base64')}`
  const withKeys = (secretKeys: string) => ({ secretKeys, dataDir })
  const secrets = await createSecrets({ database: server.database, source: withKeys(key(1)) })
  const sealed = await secrets.seal(at(0), 'secret 0')
  const output: string[] = []
  const print = (line: string) => void output.push(line)
  await expect(rotateKeys(server.database, withKeys(key(1)), print)).rejects.toMatchObject({ name: 'StartupError' })
  await rotateKeys(server.database, withKeys(`${key(2)},${key(1)}`), print)
  expect(output.at(-1)).toBe('v1 can be removed from EASYDASH_SECRET_KEYS now.')
  const after = await createSecrets({ database: server.database, source: withKeys(key(2)) })
  expect(await after.open(at(0), sealed)).toBe('secret 0')
  // A process that was not restarted has an invalid key: it must not create anything that nobody could open.
  await expect(secrets.seal(at(1), 'x')).rejects.toThrow(/missing/)
})

test('doctor says which keys are in use', async () => {
  await sealMany(await open(), 2)
  await addKey(source())
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/easydash.mjs', 'doctor'], {
    env: { ...process.env, DATABASE_URL: server.connectionString, EASYDASH_DATA_DIR: dataDir },
  })
  expect(stdout).toContain('! Secret keys: v2 not in use, v1 guards 2 data keys. "keys rotate" brings')
})
