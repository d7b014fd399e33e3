import { createPrivateKey, createPublicKey } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { installationKeyTable, installationPrivateKey, installationPublicKey } from './installation-key.ts'

let server: TestDatabase
beforeAll(async () => {
  server = await createTestDatabase()
  await server.database.db.transaction().execute((trx) => installationKeyTable(trx))
})
afterAll(() => server.drop())

test('processes that ask at once get one key pair, and the private half is only stored encrypted', async () => {
  const sealed = new Map<string, string>()
  const seal = (aad: string, text: string) => {
    sealed.set(`sealed ${sealed.size}`, text)
    expect(aad).toBe('easydash_installation_key|private_key')
    return Promise.resolve(`sealed ${sealed.size - 1}`)
  }
  const lines = await Promise.all([1, 2, 3].map(() => installationPublicKey(server.database.db, seal)))
  expect(new Set(lines).size).toBe(1)
  const line = lines[0] ?? ''
  expect(await installationPublicKey(server.database.db, () => Promise.reject(new Error('No second pair')))).toBe(line)
  expect(parseSshPublicKey(line)).toMatchObject({ kind: 'ssh-ed25519', comment: 'easydash' })

  const { rows } = await server.database.pool.query<{ private_key: string }>('select * from easydash_installation_key')
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain('PRIVATE KEY-')
  const opened = await installationPrivateKey(server.database.db, async (_aad, text) => sealed.get(text) ?? '')
  const key = createPublicKey(createPrivateKey(opened ?? ''))
  const raw = Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')
  expect(Buffer.from(line.split(' ')[1] ?? '', 'base64').subarray(-32)).toEqual(raw)
})
