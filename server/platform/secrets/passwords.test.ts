import { argon2Sync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hashPassword, needsRehash, verifyPassword } from './passwords.ts'

/** The weakest accepted parameters, computed without our own code. */
function cheapHash(password: string): string {
  const nonce = Buffer.alloc(16, 9)
  const tag = argon2Sync('argon2id', {
    message: password,
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: 19456,
    passes: 2,
  })
  const plain = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=19456,t=2,p=1$${plain(nonce)}$${plain(tag)}`
}

describe('passwords', () => {
  test('a hash is a PHC string with the prescribed parameters and its own salt', async () => {
    const [one, two] = await Promise.all([hashPassword('Correct-Horse-42!'), hashPassword('Correct-Horse-42!')])
    expect(one).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(one).not.toBe(two)
    expect(needsRehash(one)).toBe(false)
    expect(await verifyPassword(one, 'Correct-Horse-42!')).toBe(true)
    expect(await verifyPassword(one, 'correct-Horse-42!')).toBe(false)
  })

  test('characters beyond ASCII count', async () => {
    const hash = await hashPassword('pässwörd 🔑 x')
    expect(await verifyPassword(hash, 'pässwörd 🔑 x')).toBe(true)
    expect(await verifyPassword(hash, 'password ? x')).toBe(false)
  })

  test('no account, an unreadable and a far too weak or costly hash are false', async () => {
    const salt = Buffer.alloc(16).toString('base64').slice(0, 22)
    const tag = Buffer.alloc(32).toString('base64').slice(0, 43)
    for (const hash of [
      null,
      '',
      'plain',
      '$2b$10$abc',
      `$argon2id$v=19$m=8,t=1,p=1$${salt}$${tag}`,
      `$argon2id$v=19$m=9999999,t=3,p=1$${salt}$${tag}`,
    ]) {
      expect(await verifyPassword(hash, 'anything at all')).toBe(false)
    }
  })

  test('the dummy tag of a missing account never matches', async () => {
    expect(await verifyPassword(null, '')).toBe(false)
  })

  test('weaker parameters are verified and then want a new hash', async () => {
    expect(await verifyPassword(cheapHash('old password'), 'old password')).toBe(true)
    expect(needsRehash(cheapHash('old password'))).toBe(true)
    expect(needsRehash('nonsense')).toBe(true)
  })
})
