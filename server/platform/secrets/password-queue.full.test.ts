import { expect, test } from 'vitest'
import type { AppError } from '#shared/errors.ts'
import type { QueueGroup } from '../fair-queue.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

/** Number of rejected attempts of each kind when all are made at once; all others get a result. */
async function countRejections(groups: readonly QueueGroup[]): Promise<{ known: number; unknown: number }> {
  const hash = await hashPassword('x')
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
