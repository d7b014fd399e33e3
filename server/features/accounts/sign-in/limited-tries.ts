import type { QueueGroup } from '#server/platform/fair-queue.ts'
import type { LimitKeyOf } from '#server/platform/rate-limit.ts'
import type { RateLimitName } from '#server/platform/rate-limits.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { recognizeDevice, queueGroupOf, type Requester } from './known-devices.ts'
import type { AccountServices } from '../account-services.ts'

/** A limit for failures. */
interface FailureLimit {
  /** Throws `rate_limited` if it is reached. */
  check(): Promise<void>
  /** Counts a failure; throws `rate_limited` if the limit is reached. */
  count(): Promise<void>
  refund(): Promise<void>
}

type Limiting = Pick<AccountServices, 'rateLimiter' | 'database'>

function failureLimit<B extends RateLimitName>({ rateLimiter }: Limiting, bucket: B, key: LimitKeyOf<B>): FailureLimit {
  return {
    check: () => rateLimiter.check(bucket, key),
    count: () => rateLimiter.hit(bucket, key),
    refund: () => rateLimiter.refund(bucket, key),
  }
}

async function checkAll(limits: readonly FailureLimit[]): Promise<void> {
  for (const limit of limits) await limit.check()
}

/** Counts with every limit, or with none if one of them is reached. */
async function countAll(limits: readonly FailureLimit[]): Promise<void> {
  const counted: FailureLimit[] = []
  try {
    for (const limit of limits) {
      await limit.count()
      counted.push(limit)
    }
  } catch (error) {
    for (const limit of counted) await limit.refund()
    throw error
  }
}

/**
 * Runs a comparison under the limits for failures; `compare` returns null for a failure. Any number may be compared at the same
 * time, and right ones never count. The caller learns the result only if the limits still hold after it: of many parallel
 * guesses, as many are answered as of successive ones, and the others are refused in the same way whether they are right or not.
 */
async function limitedComparison<T>(
  limits: readonly FailureLimit[],
  compare: () => Promise<T | null>,
): Promise<T | null> {
  await checkAll(limits)
  const result = await compare()
  await (result === null ? countAll(limits) : checkAll(limits))
  return result
}

/** Runs an attempt that uses up what it checks. It counts before, so that a refused one uses up nothing, and not if it succeeds. */
async function limitedUse<T>(limits: readonly FailureLimit[], use: () => Promise<T | null>): Promise<T | null> {
  await countAll(limits)
  let failed = false
  try {
    const result = await use()
    failed = result === null
    return result
  } finally {
    if (!failed) for (const limit of limits) await limit.refund()
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
    return limitedComparison([failureLimit(services, 'login_account', `${user} device ${known.hash}`)], inTurn)
  const limits = [
    failureLimit(services, 'login_ip', { address: from.ip }),
    failureLimit(services, 'login_account', { name: user, address: from.ip }),
  ]
  if (known.by === 'nothing') limits.push(unknownDevices(services, user))
  return limitedComparison(limits, inTurn)
}

/** Runs a password attempt inside a session: only holders of the session's cookie can use up its attempts. */
export function tryPasswordInSession<T>(
  services: Limiting,
  user: string,
  session: string,
  work: (group: QueueGroup) => Promise<T | null>,
): Promise<T | null> {
  const inTurn = () => work({ key: `session ${session}`, known: true })
  return limitedComparison([failureLimit(services, 'login_account', `${user} session ${session}`)], inTurn)
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
  return limitedUse([failureLimit(services, 'two_factor', key)], work)
}

/** The budget for unknown devices. Its error suggests what to do, and is the same for accounts that do not exist. */
function unknownDevices(services: Limiting, user: string): FailureLimit {
  const limit = failureLimit(services, 'login_unknown_device', user)
  return {
    ...limit,
    check: () => limit.check().catch(withAdvice),
    count: () => limit.count().catch(withAdvice),
  }
}

function withAdvice(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error
  throw new AppError('rate_limited', msg`Too many failed logins to this account from new devices.`, {
    retryAfterSeconds: error.retryAfterSeconds ?? 60,
    retryable: true,
    nextAction: msg`Sign in on a device you have used before, choose a new password by "Forgot password", or try again later.`,
    cause: error,
  })
}
