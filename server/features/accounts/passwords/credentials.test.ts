import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { argon2Sync } from 'node:crypto'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { createCredentials, type Credentials } from './credentials.ts'
import { accountTables } from '../tables.ts'

let t: TestDatabase
let credentials: Credentials
beforeAll(async () => {
  t = await createTestDatabase()
  await t.database.db.transaction().execute(accountTables)
  credentials = createCredentials(t.database.db)
})
beforeEach(() => t.database.pool.query('delete from easydash_credential'))
afterAll(() => t.drop())

const turn = { key: '198.51.100.1', known: false }

const storedHash = async () =>
  (await t.database.pool.query<{ password_hash: string }>('select password_hash from easydash_credential')).rows[0]
    ?.password_hash ?? ''

test('a password is kept as Argon2id with the parameters of today', async () => {
  await credentials.store(t.database.db, 'ann@example.com', await credentials.hash('Correct-Horse-42!', [], 'password'))
  expect(await storedHash()).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/)
  expect(await credentials.check('ann@example.com', 'Correct-Horse-42!', turn)).toBe(true)
  expect(await credentials.check('ann@example.com', 'Correct-Horse-42', turn)).toBe(false)
  expect(await credentials.check('eve@example.com', 'Correct-Horse-42!', turn)).toBe(false)
  expect(await credentials.check('ann@example.com', 'Correct-Horse-42!'.repeat(40), turn)).toBe(false)
})

test('a hash with older parameters is replaced at the next login, and only then', async () => {
  const nonce = Buffer.alloc(16, 7)
  const tag = argon2Sync('argon2id', {
    message: 'Correct-Horse-42!',
    nonce,
    memory: 19456,
    passes: 2,
    parallelism: 1,
    tagLength: 32,
  })
  const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const old = `$argon2id$v=19$m=19456,t=2,p=1$${unpadded(nonce)}$${unpadded(tag)}`
  await credentials.store(t.database.db, 'ann@example.com', old)
  expect(await credentials.check('ann@example.com', 'wrong', turn)).toBe(false)
  expect(await storedHash()).toBe(old)
  expect(await credentials.check('ann@example.com', 'Correct-Horse-42!', turn)).toBe(true)
  expect(await storedHash()).toContain('m=65536,t=3,p=1')
  expect(await credentials.check('ann@example.com', 'Correct-Horse-42!', turn)).toBe(true)
})

test('weak passwords are refused before they are hashed', async () => {
  await expect(credentials.hash('password12', [], 'new_password')).rejects.toMatchObject({
    code: 'invalid',
    field: 'new_password',
  })
})
