import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import * as realFs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { addKey, dropOldKeys, loadKeyring } from './keyring-source.ts'
import { platformTables } from '../database/platform-tables.ts'
import { openBytes, sealBytes } from './sealing.ts'
import { createSecrets } from './secrets.ts'

let server: TestDatabase
let dataDir: string
const here = { scope: 'acme', aad: 'acme|Server|k3f9|http_auth' }

beforeAll(async () => {
  server = await createTestDatabase()
  await platformTables(server.database.db)
})
afterAll(() => server.drop())
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'secrets-'))
})
afterEach(async () => {
  await server.database.pool.query('truncate easydash_data_key, easydash_key_check')
  await rm(dataDir, { recursive: true })
})

const open = (secretKeys: string | null = null) =>
  createSecrets({ database: server.database, source: { secretKeys, dataDir } })
const key = (version: number, fill: number) => `v${version}:${Buffer.alloc(32, fill).toString('base64')}`

test('sealing: every text decrypts, and no changed bit, other context or other key does', () => {
  const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.nat(), (text, aad, at) => {
      const plain = Buffer.from(text, 'utf8')
      const sealed = sealBytes(one, aad, plain)
      expect(openBytes(one, aad, sealed).equals(plain)).toBe(true)
      const bytes = Buffer.from(sealed, 'base64url')
      const index = at % bytes.length
      bytes[index] = (bytes[index] ?? 0) ^ (1 << (at % 8))
      expect(() => openBytes(one, aad, bytes.toString('base64url'))).toThrow()
      expect(() => openBytes(one, `${aad}x`, sealed)).toThrow()
      expect(() => openBytes(two, aad, sealed)).toThrow()
      expect(sealBytes(one, aad, plain)).not.toBe(sealed)
    }),
    { numRuns: 100 },
  )
  expect(() => openBytes(one, '', 'AAAA')).toThrow('cut short')
})

test('a value decrypts in its own context only, also in another process', async () => {
  const secrets = await open()
  const sealed = await secrets.seal(here, 'pässwörd')
  expect(sealed).toMatch(/^s1\.1\.[\w-]+$/)
  expect(await secrets.open(here, sealed)).toBe('pässwörd')
  expect(await (await open()).open(here, sealed)).toBe('pässwörd')
  await expect(secrets.open({ ...here, aad: 'acme|Server|other|http_auth' }, sealed)).rejects.toThrow()
  await secrets.seal({ ...here, scope: 'globex' }, 'x')
  await expect(secrets.open({ ...here, scope: 'globex' }, sealed)).rejects.toThrow()
  await expect(secrets.open(here, 'plain text')).rejects.toThrow('Not a sealed value')
})

test('concurrent first uses agree on one data key', async () => {
  const [one, two] = await Promise.all([open(), open()])
  const sealed = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? one : two).seal(here, `value ${n}`)))
  const third = await open()
  expect(await Promise.all(sealed.map((text) => third.open(here, text)))).toEqual(sealed.map((_, n) => `value ${n}`))
  expect((await server.database.pool.query('select * from easydash_data_key')).rowCount).toBe(1)
})

test('a forgotten scope can never be opened again', async () => {
  const secrets = await open()
  const sealed = await secrets.seal(here, 'x')
  await secrets.forget('acme')
  await expect(secrets.open(here, sealed)).rejects.toThrow('does not exist')
  expect(await secrets.open(here, await secrets.seal(here, 'new'))).toBe('new')
})

describe('rotation', () => {
  test('with the file: new key, everything re-wrapped, running processes continue, the old key can be removed', async () => {
    const source = { secretKeys: null, dataDir }
    const running = await open()
    const sealed = await Promise.all(
      Array.from({ length: 120 }, (_, n) => running.seal({ scope: `org${n}`, aad: 'a' }, `secret ${n}`)),
    )
    expect((await addKey(source)).versions).toEqual([2, 1])
    const command = await open()
    expect(await command.rotate()).toBe(120)
    expect(await command.rotate()).toBe(0)
    await command.retire()
    await dropOldKeys(source)
    expect((await loadKeyring(source)).versions).toEqual([2])
    expect((await server.database.pool.query('select distinct ring_version from easydash_data_key')).rows).toEqual([
      { ring_version: 2 },
    ])
    const fresh = await open()
    expect(await Promise.all(sealed.map((text, n) => fresh.open({ scope: `org${n}`, aad: 'a' }, text)))).toEqual(
      sealed.map((_, n) => `secret ${n}`),
    )
    expect(await running.open({ scope: 'org5', aad: 'a' }, sealed[5] ?? '')).toBe('secret 5')
  })

  test('a process that started before the new key can read what was re-wrapped', async () => {
    const old = await open()
    const other = await open()
    const sealed = await other.seal(here, 'x')
    await addKey({ secretKeys: null, dataDir })
    await (await open()).rotate()
    expect(await old.open(here, sealed)).toBe('x')
  })

  test('interrupted, it continues', async () => {
    const first = await open(key(1, 1))
    const sealed = await Promise.all(
      Array.from({ length: 60 }, (_, n) => first.seal({ scope: `org${n}`, aad: 'a' }, 'x')),
    )
    const both = `${key(2, 2)},${key(1, 1)}`
    // A row that can't be unwrapped stops the run in its second transaction; the first fifty are kept.
    await server.database.pool.query("update easydash_data_key set wrapped = 'AAAA' where scope = 'org9'")
    const broken = await open(both)
    await expect(broken.rotate()).rejects.toThrow()
    const left = async () =>
      Number(
        (await server.database.pool.query('select count(*) as n from easydash_data_key where ring_version = 1')).rows[0]
          .n,
      )
    expect(await left()).toBe(10)
    await server.database.pool.query("delete from easydash_data_key where scope = 'org9'")
    expect(await broken.rotate()).toBe(9)
    await broken.retire()
    expect(await (await open(key(2, 2))).open({ scope: 'org3', aad: 'a' }, sealed[3] ?? '')).toBe('x')
  })

  test('with the setting, Easydash cannot add the key', async () => {
    await expect(addKey({ secretKeys: key(1, 1), dataDir })).rejects.toMatchObject({
      name: 'StartupError',
      nextAction: expect.stringContaining('next version'),
    })
  })
})

describe('the wrong keys are refused and nothing is written', () => {
  test('another key under the same version', async () => {
    await open(key(1, 1))
    await expect(open(key(1, 9))).rejects.toMatchObject({
      message: 'The secret key v1 is not the one this database was used with.',
    })
  })

  test('a missing version', async () => {
    await (await open(key(1, 1))).seal(here, 'x')
    await expect(open(key(2, 2))).rejects.toMatchObject({
      message: 'The secret key v1, which this database was used with, is missing.',
    })
    expect((await server.database.pool.query('select version from easydash_key_check')).rows).toEqual([{ version: 1 }])
  })

  test('a key file that was deleted', async () => {
    await open()
    await rm(join(dataDir, 'keys'))
    await expect(open()).rejects.toMatchObject({
      message: `The key file ${join(dataDir, 'keys')} is missing; without it the stored secrets cannot be read.`,
    })
    await expect(stat(join(dataDir, 'keys'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('the key file', () => {
  const source = () => ({ secretKeys: null, dataDir })

  test('is made once, closed to others', async () => {
    const rings = await Promise.all(Array.from({ length: 8 }, () => loadKeyring(source())))
    expect(new Set(rings.map((ring) => ring.proof(1))).size).toBe(1)
    expect(await readdir(dataDir)).toEqual(['keys'])
    expect((await stat(join(dataDir, 'keys'))).mode & 0o777).toBe(0o600)
  })

  test.each(['', 'v1:', 'v1:AAAA\n', 'garbage \u0000', `${key(1, 1)},${key(1, 2)}`, `${key(1, 1).slice(0, -5)}`])(
    'damaged (%j) it is refused and stays as it is',
    async (text) => {
      await writeFile(join(dataDir, 'keys'), text)
      await expect(loadKeyring(source())).rejects.toMatchObject({
        name: 'StartupError',
        message: expect.stringContaining('is damaged'),
        nextAction: expect.stringContaining('never overwritten'),
      })
      await expect(addKey(source())).rejects.toMatchObject({ name: 'StartupError' })
      expect(await readFile(join(dataDir, 'keys'), 'utf8')).toBe(text)
    },
  )

  test('on a full disk nothing half written stays', async () => {
    const fs = {
      ...realFs,
      writeFile: (async (path: string) => {
        await realFs.writeFile(path, 'v1:ha')
        throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
      }) as unknown as typeof realFs.writeFile,
    }
    await expect(loadKeyring({ ...source(), fs })).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringContaining('the disk is full'),
    })
    await expect(stat(join(dataDir, 'keys'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

test('transactions that hold all connections get the keys they wait for', async () => {
  const secrets = await open()
  const { db, pool } = server.database
  const begun = Promise.withResolvers<void>()
  let held = 0
  const sealed = Array.from({ length: pool.options.max }, (_, n) =>
    db.transaction().execute(async () => {
      held += 1
      if (held === pool.options.max) begun.resolve()
      await begun.promise
      return secrets.seal({ ...here, scope: `organization ${n}` }, 'text')
    }),
  )
  expect(await Promise.all(sealed)).toHaveLength(pool.options.max)
})
