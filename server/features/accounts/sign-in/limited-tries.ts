import type { QueueGroup } from '#server/platform/fair-queue.ts'
import type { LimitKeyOf } from '#server/platform/rate-limit.ts'
import type { RateLimitName } from '#server/platform/rate-limits.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { recognizeDevice, queueGroupOf, type Requester } from './known-devices.ts'
import type { AccountServices } from '../account-services.ts'

/** A limit that an attempt counts against. */
interface Hit {
  count(): Promise<void>
  refund(): Promise<void>
}

type Limiting = Pick<AccountServices, 'rateLimiter' | 'database'>

function hitOf<B extends RateLimitName>({ rateLimiter }: Limiting, bucket: B, key: LimitKeyOf<B>): Hit {
  return { count: () => rateLimiter.hit(bucket, key), refund: () => rateLimiter.refund(bucket, key) }
}

/**
 * Runs an attempt under the limits for failures; `work` returns null for a failure. The attempt counts before the check, so
 * that parallel attempts cannot all pass, and is refunded after success or if `work` throws.
 */
async function withRateLimits<T>(hits: readonly Hit[], work: () => Promise<T | null>): Promise<T | null> {
  const counted: Hit[] = []
  let failed = false
  try {
    for (const one of hits) {
      await one.count()
      counted.push(one)
    }
    const result = await work()
    failed = result === null
    return result
  } finally {
    if (!failed) for (const one of counted) await one.refund()
  }
}

/**
 * Runs a password attempt. A known device has its own limit, which nobody else can use up. All others are counted by IP
 * address, and all unknown devices of an account share a budget, which slows down guessing from many addresses. Accounts
 * that do not exist are counted the same way.
 */
export async function tryPassword<T>(
  services: Limiting,
  user: string,
  from: Requester,
  work: (group: QueueGroup) => Promise<T | null>,
): Promise<T | null> {
  const known = await recognizeDevice(services.database.db, user, from)
  const inTurn = () => work(queueGroupOf(from, known))
  if (known.by === 'cookie')
    return withRateLimits([hitOf(services, 'login_account', `${user} device ${known.hash}`)], inTurn)
  const hits = [
    hitOf(services, 'login_ip', { address: from.ip }),
    hitOf(services, 'login_account', { name: user, address: from.ip }),
  ]
  if (known.by === 'nothing') hits.push(unknownDevices(services, user))
  return withRateLimits(hits, inTurn)
}

/** Runs a password attempt inside a session: only holders of the session's cookie can use up its attempts. */
export function tryPasswordInSession<T>(
  services: Limiting,
  user: string,
  session: string,
  work: (group: QueueGroup) => Promise<T | null>,
): Promise<T | null> {
  const inTurn = () => work({ key: `session ${session}`, known: true })
  return withRateLimits([hitOf(services, 'login_account', `${user} session ${session}`)], inTurn)
}

/**
 * Runs an attempt of a 2FA code after the correct password. All unknown devices of an account share five attempts, however
 * many addresses they use; a known device has its own.
 */
export async function tryCode<T>(
  services: Limiting,
  user: string,
  from: Requester,
  work: () => Promise<T | null>,
): Promise<T | null> {
  const known = await recognizeDevice(services.database.db, user, from)
  const key = known.by === 'cookie' ? `${user} device ${known.hash}` : user
  return withRateLimits([hitOf(services, 'two_factor', key)], work)
}

/** The budget for unknown devices. Its error suggests what to do, and is the same for accounts that do not exist. */
function unknownDevices(services: Limiting, user: string): Hit {
  const hit = hitOf(services, 'login_unknown_device', user)
  return {
    ...hit,
    async count() {
      try {
        await hit.count()
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error
        throw new AppError('rate_limited', msg`Too many failed logins to this account from new devices.`, {
          retryAfterSeconds: error.retryAfterSeconds ?? 60,
          retryable: true,
          nextAction: msg`Sign in on a device you have used before, choose a new password by "Forgot password", or try again later.`,
          cause: error,
        })
      }
    },
  }
}
