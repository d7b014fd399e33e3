import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { AppError } from '#shared/errors.ts'
import { plural, msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { addressGroups } from './network/address-groups.ts'
import type { Database, Db } from './database/database.ts'
import { createHitCounters, type HitCounters } from './hit-counters.ts'
import type { AddressLimitName, RateLimit, RateLimitName, RateLimits } from './rate-limits.ts'

/**
 * What a limit counts by: a name (an account, an organization, …), a client address, or a name per client address. IPv6
 * addresses are counted by network (`addressGroups`), only here.
 */
export type LimitKey = string | AddressKey

/** Client address of a request, plus a name if that counts, too. */
export interface AddressKey {
  readonly name?: string
  readonly address: string
}

/** Key type of a limit: those of addresses accept only addresses. */
export type LimitKeyOf<B extends RateLimitName> = B extends AddressLimitName ? AddressKey : LimitKey

/** Counts hits and rejects callers for a while when they exceed a limit. No lockout is permanent. */
export interface RateLimiter {
  /**
   * Counts one hit. Throws `rate_limited` with `retryAfterSeconds` if the window is full; a rejected hit does not count.
   * `within` a transaction it counts when that commits (limits counted in memory: immediately).
   */
  hit<B extends RateLimitName>(bucket: B, key: LimitKeyOf<B>, within?: Db): Promise<void>
  /** Throws like `hit` if the window is full, and counts nothing. */
  check<B extends RateLimitName>(bucket: B, key: LimitKeyOf<B>): Promise<void>
  /** Like `hit`, with a limit that is not in the table; `name` is what is limited, e.g. a route. */
  hitOwn(name: string, limit: RateLimit, key: AddressKey): Promise<void>
  /**
   * Counts `amount` at once, in this process's memory. Throws `rate_limited` if it exceeds what is left of the window; a
   * rejected amount does not count. The returned function refunds the amount.
   */
  spend(bucket: RateLimitName, key: string, amount: number): () => void
  /**
   * Refunds the latest hit. To count only failures: `hit` before the attempt, `refund` after success, so that simultaneous
   * attempts can't exceed the limit.
   */
  refund<B extends RateLimitName>(bucket: B, key: LimitKeyOf<B>): Promise<void>
  /** Deletes all hits of a key. */
  clear<B extends RateLimitName>(bucket: B, key: LimitKeyOf<B>): Promise<void>
  /** Deletes expired hits; also runs automatically from time to time. */
  sweep(): Promise<void>
}

/** Options of a limiter. */
export interface RateLimiterOptions {
  database: Pick<Database, 'db'>
  limits: RateLimits
  /** Milliseconds since 1970. */
  now?: () => number
  /** Where limits of 200 and more are counted. Default: in this process. */
  counters?: HitCounters
}

/** Limits from this size on are counted in memory: exact lists get long, and the API must not write a row for each call. */
const IN_MEMORY_FROM = 200
const isInMemory = (limit: RateLimit) => limit.limit >= IN_MEMORY_FROM
const SWEEP_AFTER_HITS = 1000

/** Stored instead of email addresses and client addresses. */
const hashed = (key: string) => createHash('sha256').update(key, 'utf8').digest('base64url')

/** A key to count, and a multiplier for its limit. */
interface Counted {
  readonly key: string
  readonly times: number
}

function countedOf(key: LimitKey): readonly Counted[] {
  if (typeof key === 'string') return [{ key, times: 1 }]
  const { name, address } = key
  return addressGroups(address).map((group) => ({
    ...group,
    key: name === undefined ? group.key : `${name} ${group.key}`,
  }))
}

function rateLimitError(seconds: number, localized: LocalizedMessage = msg`Too many requests.`): AppError {
  const wait = Math.max(1, Math.ceil(seconds))
  const minutes = Math.ceil(wait / 60)
  return new AppError('rate_limited', localized, {
    retryAfterSeconds: wait,
    retryable: true,
    nextAction:
      wait > 90
        ? plural(minutes, msg`Try again in ${minutes} minute.`, msg`Try again in ${minutes} minutes.`)
        : plural(wait, msg`Try again in ${wait} second.`, msg`Try again in ${wait} seconds.`),
  })
}

/**
 * A limiter with exact sliding windows, shared by all processes through the database. Limits of 200 and more are counted per
 * process in memory. Why it is not a library: docs/dependencies.md.
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const {
    database: { db },
    limits,
  } = options
  const now = () => (options.now ?? Date.now)() / 1000
  /** Amounts are spent in one process only. */
  const own = createHitCounters(options.now)
  const counters = options.counters ?? own
  const inMemory = new Set<HitCounters>([own, counters])
  let hitsUntilSweep = SWEEP_AFTER_HITS

  const sweep = async () => {
    for (const one of inMemory) one.sweep()
    await db.deleteFrom('easydash_rate_limit').where('expires', '<=', now()).execute()
  }

  async function hitOne(bucket: string, base: RateLimit, { key, times }: Counted, on: Db): Promise<void> {
    const limit = { limit: base.limit * times, seconds: base.seconds }
    if (!isInMemory(base)) return hitShared(limit, bucket, key, now(), on)
    const wait = await counters.hit(`${bucket} ${key}`, limit)
    if (wait > 0) throw rateLimitError(wait)
  }

  async function checkOne(bucket: RateLimitName, one: Counted): Promise<void> {
    const base = limits[bucket]
    if (isInMemory(base)) {
      await hitOne(bucket, base, one, db)
      return refundOne(bucket, base, one, db)
    }
    const limit = { limit: base.limit * one.times, seconds: base.seconds }
    const wait = await waitSeconds(limit, bucket, one.key, now(), db)
    if (wait > 0) throw rateLimitError(wait)
  }

  async function refundOne(bucket: string, limit: RateLimit, { key }: Counted, on: Db): Promise<void> {
    if (isInMemory(limit)) {
      counters.refund(`${bucket} ${key}`)
      return
    }
    await sql`update easydash_rate_limit set hits = trim_array(hits, 1)
      where bucket = ${bucket} and key = ${hashed(key)} and cardinality(hits) > 0`.execute(on)
  }

  async function hitAll(bucket: string, limit: RateLimit, key: LimitKey, on: Db): Promise<void> {
    hitsUntilSweep -= 1
    if (hitsUntilSweep <= 0) {
      hitsUntilSweep = SWEEP_AFTER_HITS
      await sweep()
    }
    const hit: Counted[] = []
    try {
      for (const one of countedOf(key)) {
        await hitOne(bucket, limit, one, on)
        hit.push(one)
      }
    } catch (error) {
      // A rejected hit is not counted for any key.
      for (const one of hit) await refundOne(bucket, limit, one, on)
      throw error
    }
  }

  return {
    hit: (bucket, key, within = db) => hitAll(bucket, limits[bucket], key, within),
    async check(bucket, key) {
      for (const one of countedOf(key)) await checkOne(bucket, one)
    },
    // Prefixed to avoid collisions with the names in the table.
    hitOwn: (name, limit, key) => hitAll(`own ${name}`, limit, key, db),
    spend(bucket, key, amount) {
      const name = `${bucket} ${key}`
      const wait = own.hit(name, limits[bucket], amount)
      if (wait > 0) throw rateLimitError(wait, msg`Too much data was saved in a short time.`)
      const spent = now()
      return () => own.refund(name, amount, now() - spent)
    },
    async refund(bucket, key) {
      for (const one of countedOf(key)) await refundOne(bucket, limits[bucket], one, db)
    },
    async clear(bucket, key) {
      for (const one of countedOf(key)) {
        for (const memory of inMemory) memory.clear(`${bucket} ${one.key}`)
        await db
          .deleteFrom('easydash_rate_limit')
          .where('bucket', '=', bucket)
          .where('key', '=', hashed(one.key))
          .execute()
      }
    },
    sweep,
  }
}

/** Counts a hit in the database. */
async function hitShared(limit: RateLimit, bucket: string, key: string, time: number, on: Db): Promise<void> {
  const from = time - limit.seconds
  // One statement, one row lock: of many concurrent callers exactly `limit` get through. A rejected one changes nothing.
  const { rows } = await sql`
    insert into easydash_rate_limit as mine (bucket, key, hits, expires)
    values (${bucket}, ${hashed(key)}, array[${time}::float8], ${time + limit.seconds})
    on conflict (bucket, key) do update set
      hits = coalesce((select array_agg(h order by h) from unnest(mine.hits) as h where h > ${from}), '{}') || excluded.hits,
      expires = excluded.expires
    where (select count(*) from unnest(mine.hits) as h where h > ${from}) < ${limit.limit}
    returning 1`.execute(on)
  if (rows.length === 0) throw rateLimitError(await waitSeconds(limit, bucket, key, time, on))
}

/** Seconds until the window has capacity, i.e. until the oldest hit that fills it expires; 0 or less if it has some. */
async function waitSeconds(limit: RateLimit, bucket: string, key: string, time: number, on: Db): Promise<number> {
  const { rows } = await sql<{ hit: number }>`
    select h as hit from easydash_rate_limit, unnest(hits) as h
    where bucket = ${bucket} and key = ${hashed(key)} order by h desc offset ${limit.limit - 1} limit 1`.execute(on)
  return (rows[0]?.hit ?? time - limit.seconds) + limit.seconds - time
}
