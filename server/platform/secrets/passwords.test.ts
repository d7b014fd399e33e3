import { argon2Sync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { AppError } from '#shared/errors.ts'
import type { QueueGroup } from '../fair-queue.ts'
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

  /** Number of rejected attempts of each kind when all are made at once; all others get a result. */
  async function countRejections(groups: readonly QueueGroup[]): Promise<{ known: number; unknown: number }> {
    const hash = cheapHash('x')
    const results = await Promise.allSettled(groups.map((group) => verifyPassword(hash, 'x', group)))
    const rejected = results.filter((result) => result.status === 'rejected')
    for (const result of rejected)
      expect(result.reason).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 5 } satisfies Partial<AppError>)
    expect(results.filter((result) => result.status === 'fulfilled' && result.value)).toHaveLength(
      groups.length - rejected.length,
    )
    expect(await verifyPassword(hash, 'x')).toBe(true)
    const known = groups.filter((group, at) => group.known && results[at]?.status === 'rejected').length
    return { known, unknown: rejected.length - known }
  }
  const strangers = (addresses: number, each: number): QueueGroup[] =>
    Array.from({ length: addresses * each }, (_, n) => ({ key: `192.0.2.${n % addresses}`, known: false }))
  const devices = (count: number): QueueGroup[] =>
    Array.from({ length: count }, (_, n) => ({ key: `device ${n}`, known: true }))

  test('hashes two concurrently and queues fifty; rejects the rest', async () => {
    expect(await countRejections([...strangers(50, 1), ...devices(50)])).toEqual({ unknown: 8, known: 40 })
  })

  test('one address waits with forty, and makes room for others and for known devices, each with several at once', async () => {
    const groups = [
      ...strangers(1, 60),
      { key: '198.51.100.1', known: false },
      ...devices(4),
      ...devices(4),
      ...devices(4),
      ...devices(4),
      ...devices(4),
    ]
    expect(await countRejections(groups)).toEqual({ unknown: 29, known: 0 })
  })
})
