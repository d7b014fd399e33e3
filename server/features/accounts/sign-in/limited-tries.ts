import type { QueueGroup } from '#server/platform/fair-queue.ts'
import type { LimitKeyOf } from '#server/platform/rate-limit.ts'
import type { RateLimitName } from '#server/platform/rate-limits.ts'
import { AppError } from '#shared/errors.ts'
import { say } from '#shared/sentence.ts'
import { acquaintanceOf, queueGroupOf, type Requester } from './known-devices.ts'
import type { AccountServices } from '../account-services.ts'

/** A limit that a try counts against. */
interface Hit {
  count(): Promise<void>
  takeBack(): Promise<void>
}

type Limiting = Pick<AccountServices, 'rateLimiter' | 'database'>

function hitOf<B extends RateLimitName>({ rateLimiter }: Limiting, bucket: B, key: LimitKeyOf<B>): Hit {
  return { count: () => rateLimiter.hit(bucket, key), takeBack: () => rateLimiter.refund(bucket, key) }
}

/**
 * Runs a try under the limits for failures; null says that it failed. It counts before its check, so that many tries at
 * the same moment cannot pass together, and is taken back after success and when it was not looked at (it throws).
 */
async function underLimits<T>(hits: readonly Hit[], work: () => Promise<T | null>): Promise<T | null> {
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
    if (!failed) for (const one of counted) await one.takeBack()
  }
}

/**
 * Runs a try of an account's password. A device that the account knows has a limit of its own, which nobody else can use
 * up. Everybody else is counted at their address, and all devices that the account does not know together have a budget,
 * which slows guesses from many addresses down. Accounts that do not exist are counted alike.
 */
export async function tryPassword<T>(
  services: Limiting,
  user: string,
  from: Requester,
  work: (group: QueueGroup) => Promise<T | null>,
): Promise<T | null> {
  const known = await acquaintanceOf(services.database.db, user, from)
  const inTurn = () => work(queueGroupOf(from, known))
  if (known.by === 'cookie')
    return underLimits([hitOf(services, 'login_account', `${user} device ${known.hash}`)], inTurn)
  const hits = [
    hitOf(services, 'login_ip', { address: from.ip }),
    hitOf(services, 'login_account', { name: user, address: from.ip }),
  ]
  if (known.by === 'nothing') hits.push(unknownDevices(services, user))
  return underLimits(hits, inTurn)
}

/** Runs a try of the password inside a session: nobody without the session's cookie can use its tries up. */
export function tryPasswordInSession<T>(
  services: Limiting,
  user: string,
  session: string,
  work: (group: QueueGroup) => Promise<T | null>,
): Promise<T | null> {
  const inTurn = () => work({ key: `session ${session}`, known: true })
  return underLimits([hitOf(services, 'login_account', `${user} session ${session}`)], inTurn)
}

/**
 * Runs a try of a code after the right password. Devices that the account does not know have five together, however many
 * addresses there are; a known one has its own.
 */
export async function tryCode<T>(
  services: Limiting,
  user: string,
  from: Requester,
  work: () => Promise<T | null>,
): Promise<T | null> {
  const known = await acquaintanceOf(services.database.db, user, from)
  const key = known.by === 'cookie' ? `${user} device ${known.hash}` : user
  return underLimits([hitOf(services, 'two_factor', key)], work)
}

/** The budget, with the way out in its refusal; it says the same of accounts that do not exist. */
function unknownDevices(services: Limiting, user: string): Hit {
  const hit = hitOf(services, 'login_unknown_device', user)
  return {
    ...hit,
    async count() {
      try {
        await hit.count()
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error
        throw new AppError('rate_limited', say`Too many failed sign-ins to this account from new devices.`, {
          retryAfterSeconds: error.retryAfterSeconds ?? 60,
          retryable: true,
          nextAction: say`Sign in on a device you have used before, choose a new password by "Forgot password", or try again later.`,
          cause: error,
        })
      }
    },
  }
}
