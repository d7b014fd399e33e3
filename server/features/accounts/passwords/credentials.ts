import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'
import type { QueueGroup } from '#server/platform/fair-queue.ts'
import { hashPassword, needsRehash, verifyPassword } from '#server/platform/secrets/passwords.ts'
import { AppError } from '#shared/errors.ts'
import type { Hashing } from '../deps.ts'
import { judgePassword } from './password-judge.ts'

/** Nobody types more; hashing it would only cost time. */
const LONGEST_TRIED = 512

/**
 * Passwords of accounts: their own table, because no document and no list may ever hold them. Hashing is done in turns;
 * `group` says whose turn it is.
 */
export interface Credentials {
  /**
   * Whether the password is the account's. Takes the same time for accounts that do not exist. A password whose stored
   * hash has old parameters is hashed again.
   */
  check(user: string, password: string, group: QueueGroup): Promise<boolean>
  /** The same; the version of the password it was right for, null when it is wrong. */
  prove(user: string, password: string, group: QueueGroup): Promise<string | null>
  /** Another one whenever a password is chosen; null for accounts without one. */
  version(trx: Db, user: string): Promise<string | null>
  /** Makes the version another one: whoever proved the password before, and has no session by then, proves it anew. */
  renew(trx: Db, user: string): Promise<void>
  /** Stores a hash made by `hash`, in the given transaction. */
  store(trx: Db, user: string, passwordHash: string): Promise<void>
  /** The stored hash; null for accounts without a password. */
  current(trx: Db, user: string): Promise<string | null>
  /** Whether a password is that of a hash. */
  matches(passwordHash: string, password: string, group: QueueGroup): Promise<boolean>
  /** Takes the password away: until a new one is chosen nobody logs in. */
  remove(trx: Db, user: string): Promise<void>
  /**
   * Hash of a new password. Throws AppError `invalid` with `field` when it is too short, too long or easy to guess;
   * `about` are the person's names and address.
   */
  hash(password: string, about: readonly string[], field: string, group?: QueueGroup): Promise<string>
}

/** The same text typed on two systems may come in two Unicode forms; they must be one password. */
function normalized(password: string): string {
  return password.normalize('NFKC')
}

/** Refuses a new password that is too short, too long or easy to guess; see `Credentials.hash`. */
export async function refuseWeakPassword(password: string, about: readonly string[], field: string): Promise<void> {
  const { problem } = await judgePassword(password, about)
  if (problem) throw new AppError('invalid', problem, { field, excType: 'ValidationError' })
}

const argon2id: Hashing = { hash: hashPassword, verify: verifyPassword, needsRehash }

/** Creates the store of passwords. */
export function createCredentials(db: Db, hashing: Hashing = argon2id): Credentials {
  async function store(trx: Db, user: string, passwordHash: string): Promise<void> {
    await sql`insert into easydash_credential ("user", password_hash) values (${user}, ${passwordHash})
      on conflict ("user") do update set password_hash = excluded.password_hash, changed = now()`.execute(trx)
  }

  async function read(trx: Db, user: string): Promise<{ hash: string; version: string } | null> {
    const { rows } = await sql<{ hash: string; version: string }>`select password_hash as hash, changed::text as version
      from easydash_credential where "user" = ${user}`.execute(trx)
    return rows[0] ?? null
  }

  async function prove(user: string, password: string, group: QueueGroup): Promise<string | null> {
    const stored = await read(db, user)
    const tried = password.length > LONGEST_TRIED ? '' : normalized(password)
    if (!(await hashing.verify(stored?.hash ?? null, tried, group)) || stored === null) return null
    if (hashing.needsRehash(stored.hash)) {
      const fresh = await hashing.hash(tried, group)
      await sql`update easydash_credential set password_hash = ${fresh} where "user" = ${user} and password_hash = ${stored.hash}`.execute(
        db,
      )
    }
    return stored.version
  }

  return {
    store,
    current: async (trx, user) => (await read(trx, user))?.hash ?? null,
    async renew(trx, user) {
      await sql`update easydash_credential set changed = clock_timestamp() where "user" = ${user}`.execute(trx)
    },
    version: async (trx, user) => (await read(trx, user))?.version ?? null,
    matches: (passwordHash, password, group) =>
      hashing.verify(passwordHash, password.length > LONGEST_TRIED ? '' : normalized(password), group),
    async remove(trx, user) {
      await sql`delete from easydash_credential where "user" = ${user}`.execute(trx)
    },
    check: async (user, password, group) => (await prove(user, password, group)) !== null,
    prove,
    async hash(password, about, field, group) {
      await refuseWeakPassword(password, about, field)
      return hashing.hash(normalized(password), group)
    },
  }
}
