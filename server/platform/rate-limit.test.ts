import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { platformTables } from './database/platform-tables.ts'
import { createRateLimiter, type AddressKey, type LimitKey, type LimitKeyOf } from './rate-limit.ts'
import { defaultRateLimits } from './rate-limits.ts'

let server: TestDatabase
let time = 0
beforeAll(async () => {
  server = await createTestDatabase()
  await platformTables(server.database.db)
})
afterAll(() => server.drop())
beforeEach(async () => {
  time = 1_800_000_000_000
  await server.database.pool.query('truncate easydash_rate_limit')
})

const make = (limits = {}) =>
  createRateLimiter({ database: server.database, limits: { ...defaultRateLimits, ...limits }, now: () => time })
const passes = async (hit: Promise<void>): Promise<number | true> =>
  hit.then(
    () => true as const,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'rate_limited') return error.retryAfterSeconds ?? 0
      throw error
    },
  )

test('five in five minutes, then refused with the time until there is room, in a sliding window', async () => {
  const limiter = make()
  for (let n = 0; n < 5; n += 1) {
    expect(await passes(limiter.hit('login_account', 'ann|1.2.3.4'))).toBe(true)
    time += 10_000
  }
  expect(await passes(limiter.hit('login_account', 'ann|1.2.3.4'))).toBe(250)
  expect(await passes(limiter.hit('login_account', 'bob|1.2.3.4'))).toBe(true)
  time += 249_000
  expect(await passes(limiter.hit('login_account', 'ann|1.2.3.4'))).toBe(1)
  time += 1000
  expect(await passes(limiter.hit('login_account', 'ann|1.2.3.4'))).toBe(true)
  expect(await passes(limiter.hit('login_account', 'ann|1.2.3.4'))).toBe(10)
})

test.each(['login_account', 'api_user'] as const)(
  'a check of %s says whether there is room, and counts nothing',
  async (bucket) => {
    const limiter = make({ api_user: { limit: 200, seconds: 300 } })
    const { limit } = { ...defaultRateLimits, api_user: { limit: 200 } }[bucket]
    for (let n = 0; n < limit; n += 1) {
      expect(await passes(limiter.check(bucket, 'x'))).toBe(true)
      await limiter.hit(bucket, 'x')
    }
    expect(await passes(limiter.check(bucket, 'x'))).toBeGreaterThan(299)
    expect(await passes(limiter.check(bucket, 'y'))).toBe(true)
    time += 600_000
    expect(await passes(limiter.check(bucket, 'x'))).toBe(true)
  },
)

test('a refused hit does not prolong the wait', async () => {
  const limiter = make()
  for (let n = 0; n < 5; n += 1) await limiter.hit('login_account', 'x')
  for (let n = 0; n < 20; n += 1) expect(await passes(limiter.hit('login_account', 'x'))).toBe(300)
  time += 300_000
  expect(await passes(limiter.hit('login_account', 'x'))).toBe(true)
})

test('of many at the same moment exactly the limit gets through, over several processes', async () => {
  const limiters = [make(), make(), make()]
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, n) => passes((limiters[n % 3] ?? make()).hit('login_ip', { address: '1.2.3.4' }))),
  )
  expect(results.filter((result) => result === true)).toHaveLength(20)
})

describe('addresses', () => {
  const tries = async (limiter: ReturnType<typeof make>, addresses: readonly string[], name?: string) => {
    let passed = 0
    for (const address of addresses)
      if ((await passes(limiter.hit('login_ip', name === undefined ? { address } : { name, address }))) === true)
        passed += 1
    return passed
  }
  const many = (count: number, of: (n: string) => string) =>
    Array.from({ length: count }, (_, n) => of((n + 1).toString(16)))

  test.each([
    ['in the database', { limit: 5, seconds: 300 }],
    ['in memory', { limit: 200, seconds: 300 }],
  ])('a /64 has the limit of one address, a /48 sixteen times that: %s', async (_where, login_ip) => {
    const limiter = make({ login_ip })
    const { limit } = login_ip
    const oneCustomer = many(limit + 3, (n) => `2001:db8:1:1::${n}`)
    expect(await tries(limiter, oneCustomer)).toBe(limit)
    // One hit of each /64, until the limit of the /48 is reached.
    const oneProvider = many(limit * 20, (n) => `2001:db8:2:${n}::1`)
    expect(await tries(limiter, oneProvider)).toBe(limit * 16)
    expect(await tries(limiter, ['2001:db8:3:1::1'])).toBe(1)
  })

  test('requests refused for the /48 do not count for the /64, and a refund applies to both', async () => {
    const limiter = make({ login_ip: { limit: 1, seconds: 300 } })
    for (const address of many(16, (n) => `2001:db8:2:${n}::1`)) await limiter.hit('login_ip', { address })
    expect(await tries(limiter, ['2001:db8:2:ff::1'])).toBe(0)
    await limiter.refund('login_ip', { address: '2001:db8:2:1::99' })
    expect(await tries(limiter, ['2001:db8:2:ff::1'])).toBe(1)
    await limiter.clear('login_ip', { address: '2001:db8:2:ff::1' })
    expect(await tries(limiter, ['2001:db8:2:ff::1'])).toBe(1)
  })

  test('limits of addresses take nothing else, so none of them forgets the network', () => {
    expectTypeOf<LimitKeyOf<'login_ip'>>().toEqualTypeOf<AddressKey>()
    expectTypeOf<LimitKeyOf<'easyengine'>>().toEqualTypeOf<AddressKey>()
    expectTypeOf<LimitKeyOf<'api_user'>>().toEqualTypeOf<LimitKey>()
  })

  test('a name counts apart at each address', async () => {
    const limiter = make({ login_ip: { limit: 1, seconds: 300 } })
    expect(await tries(limiter, ['::ffff:192.0.2.1', '192.0.2.1'], 'ann')).toBe(1)
    expect(await tries(limiter, ['192.0.2.1'], 'bob')).toBe(1)
    expect(await tries(limiter, ['192.0.2.2'], 'ann')).toBe(1)
  })
})

test('successes taken back do not count, and a key can be cleared', async () => {
  const limiter = make()
  for (let n = 0; n < 30; n += 1) {
    await limiter.hit('login_account', 'x')
    await limiter.refund('login_account', 'x')
  }
  for (let n = 0; n < 5; n += 1) await limiter.hit('login_account', 'x')
  expect(await passes(limiter.hit('login_account', 'x'))).not.toBe(true)
  await limiter.clear('login_account', 'x')
  expect(await passes(limiter.hit('login_account', 'x'))).toBe(true)
  await limiter.refund('login_account', 'never seen')
})

test('a late or unfounded refund does not raise the limit', async () => {
  const limiter = make()
  const passed = async () => {
    let count = 0
    while ((await passes(limiter.hit('login_account', 'x'))) === true) count += 1
    return count
  }
  await limiter.hit('login_account', 'x')
  time += 300_000
  await limiter.refund('login_account', 'x')
  await limiter.refund('login_account', 'x')
  expect(await passed()).toBe(5)
})

test('a lowered limit counts what happened before', async () => {
  for (let n = 0; n < 5; n += 1) await make().hit('login_account', 'x')
  time += 100_000
  expect(await passes(make({ login_account: { limit: 2, seconds: 300 } }).hit('login_account', 'x'))).toBe(200)
})

test('large limits are kept in memory, slide too and write no rows', async () => {
  const limiter = make()
  let counted = 0
  while ((await passes(limiter.hit('api_user', 'ann'))) === true) counted += 1
  expect(counted).toBe(600)
  expect(await passes(limiter.hit('api_user', 'bob'))).toBe(true)
  const wait = await passes(limiter.hit('api_user', 'ann'))
  expect(wait).toBeGreaterThan(0)
  time += Number(wait) * 1000
  expect(await passes(limiter.hit('api_user', 'ann'))).toBe(true)
  time += 30_000
  let more = 0
  while ((await passes(limiter.hit('api_user', 'ann'))) === true) more += 1
  expect(more).toBeGreaterThan(200)
  expect(more).toBeLessThan(400)
  expect((await server.database.pool.query('select * from easydash_rate_limit')).rowCount).toBe(0)
})

test('amounts fill a window that slides, and what is refused does not count', async () => {
  const limiter = make({ written_bytes: { limit: 1000, seconds: 100 } })
  const spend = (amount: number, key = 'acme') =>
    passes((async () => void limiter.spend('written_bytes', key, amount))())
  expect(await spend(600)).toBe(true)
  expect(await spend(500)).toBeGreaterThan(0)
  expect(await spend(400)).toBe(true)
  const wait = Number(await spend(500))
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(200)
  time += wait * 1000
  expect(await spend(500)).toBe(true)
  expect(await spend(1001)).toBe(100)
  expect(await spend(1000, 'globex')).toBe(true)
})

test('an amount is taken back from the window it was counted in', async () => {
  const limiter = make({ written_bytes: { limit: 1000, seconds: 100 } })
  const spend = (amount: number) => limiter.spend('written_bytes', 'acme', amount)
  const refund = spend(1000)
  expect(() => spend(1)).toThrow()
  refund()
  const refundLater = spend(1000)
  time += 100_000
  // The whole previous window still counts.
  expect(() => spend(1)).toThrow()
  refundLater()
  const refundMuchLater = spend(1000)
  time += 200_000
  spend(1000)
  refundMuchLater()
  expect(() => spend(1)).toThrow()
})

test('neither names nor addresses are stored, and old rows are swept', async () => {
  const limiter = make()
  await limiter.hit('reset_account', 'ann@example.com')
  expect(JSON.stringify((await server.database.pool.query('select * from easydash_rate_limit')).rows)).not.toContain(
    'ann',
  )
  await limiter.sweep()
  expect((await server.database.pool.query('select 1 from easydash_rate_limit')).rowCount).toBe(1)
  time += 3_600_000
  await limiter.sweep()
  expect((await server.database.pool.query('select 1 from easydash_rate_limit')).rowCount).toBe(0)
})
