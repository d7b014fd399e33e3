import { randomBytes, timingSafeEqual } from 'node:crypto'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { deriveInProcess, type Derive } from './argon2.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'
import { createFairQueue, type QueueGroup } from '../fair-queue.ts'

/** Parameters of new hashes (docs/security.md): 64 MiB, 3 passes, 1 lane, 16 bytes of salt, 32-byte tag. */
const CURRENT = { memory: 65536, passes: 3, parallelism: 1 } as const
/** Weaker hashes are rejected: 19 MiB, 2 passes, 1 lane. */
const MIN_PARAMETERS = { memory: 19456, passes: 2, parallelism: 1 } as const
/** Limits the cost of verifying a stored hash. */
const MAX_PARAMETERS = { memory: 262144, passes: 16, parallelism: 4 } as const
const SALT_BYTES = 16
const TAG_BYTES = 32

interface Parameters {
  memory: number
  passes: number
  parallelism: number
}
interface Parsed extends Parameters {
  salt: Buffer
  tag: Buffer
}

/** Hashing takes 64 MiB and a core each: two at once, up to fifty waiting, the rest is rejected. */
const queue = createFairQueue({
  atOnce: 2,
  waiting: { all: 50, ofKind: 40 },
  // A device has few users; many users of an office may share an address. Whoever has most makes room for others.
  share: { known: 10, unknown: 40 },
  full: () =>
    new AppError('rate_limited', msg`Too many people are logging in right now.`, {
      retryAfterSeconds: 5,
      retryable: true,
    }),
})

/** Our own work: commands and background work. */
const ownWork: QueueGroup = { key: '', known: false }

const unpadded = (bytes: Buffer) => trimEnd(bytes.toString('base64'), '=')

function parse(hash: string): Parsed | null {
  const match =
    /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/.exec(hash)
  if (!match) return null
  const parsed = {
    memory: Number(match[1]),
    passes: Number(match[2]),
    parallelism: Number(match[3]),
    salt: Buffer.from(match[4] ?? '', 'base64'),
    tag: Buffer.from(match[5] ?? '', 'base64'),
  }
  const within = (['memory', 'passes', 'parallelism'] as const).every(
    (key) => parsed[key] >= MIN_PARAMETERS[key] && parsed[key] <= MAX_PARAMETERS[key],
  )
  return within ? parsed : null
}

/**
 * Hashes a password with Argon2id, queued by the caller's group; returns a PHC string of 97 characters. Throws
 * `rate_limited` if too many hashes are already waiting.
 */
export async function hashPassword(
  password: string,
  group: QueueGroup = ownWork,
  derive: Derive = deriveInProcess,
): Promise<string> {
  return queue.run(group, async () => {
    const salt = randomBytes(SALT_BYTES)
    const tag = await derive({ password, salt, ...CURRENT, tagLength: TAG_BYTES })
    return `$argon2id$v=19$m=${CURRENT.memory},t=${CURRENT.passes},p=${CURRENT.parallelism}$${unpadded(salt)}$${unpadded(tag)}`
  })
}

/** The same work for an account that does not exist, so that the duration doesn't reveal this. */
const NOBODY: Parsed = { ...CURRENT, salt: Buffer.alloc(SALT_BYTES, 1), tag: Buffer.alloc(TAG_BYTES, 1) }

/**
 * Whether `password` matches the PHC string `hash`. `null` (no such account, or one without a password) and unreadable
 * hashes return false after the same work. Throws `rate_limited` if too many hashes are already waiting.
 */
export async function verifyPassword(
  hash: string | null,
  password: string,
  group: QueueGroup = ownWork,
  derive: Derive = deriveInProcess,
): Promise<boolean> {
  const known = hash === null ? null : parse(hash)
  const parsed = known ?? NOBODY
  return queue.run(group, async () => {
    const { tag: expected, ...from } = parsed
    const tag = await derive({ password, ...from, tagLength: expected.length })
    return timingSafeEqual(tag, expected) && known !== null
  })
}

/** Whether the hash uses outdated parameters, so that a successful sign-in should store a new one. */
export function needsRehash(hash: string): boolean {
  const parsed = parse(hash)
  return (
    !parsed ||
    parsed.memory !== CURRENT.memory ||
    parsed.passes !== CURRENT.passes ||
    parsed.parallelism !== CURRENT.parallelism ||
    parsed.salt.length !== SALT_BYTES ||
    parsed.tag.length !== TAG_BYTES
  )
}

/** The three functions with a different hash implementation, for callers that take them together. */
export function createPasswordFunctions(derive: Derive): {
  hash(password: string, group?: QueueGroup): Promise<string>
  verify(hash: string | null, password: string, group?: QueueGroup): Promise<boolean>
  needsRehash(hash: string): boolean
} {
  return {
    hash: (password, group) => hashPassword(password, group, derive),
    verify: (hash, password, group) => verifyPassword(hash, password, group, derive),
    needsRehash,
  }
}
