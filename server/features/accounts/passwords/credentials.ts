import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'
import type { QueueGroup } from '#server/platform/fair-queue.ts'
import { hashPassword, needsRehash, verifyPassword } from '#server/platform/secrets/passwords.ts'
import { AppError } from '#shared/errors.ts'
import type { Hashing } from '../deps.ts'
import { ratePassword } from './password-rating.ts'

/** Longer inputs cannot be valid passwords; hashing them would only waste time. */
const LONGEST_TRIED = 512

/**
 * Account passwords. They have their own table so that no document or list can contain them. Hashing is queued; `group`
 * identifies the caller's queue.
 */
export interface Credentials {
  /**
   * Whether the password is correct. Takes the same time for accounts that do not exist. Rehashes the password if its stored
   * hash uses old parameters.
   */
  check(user: string, password: string, group: QueueGroup): Promise<boolean>
  /** Like `check`, but returns the version of the matching password, or null if it is wrong. */
  verify(user: string, password: string, group: QueueGroup): Promise<string | null>
  /** Changes whenever a new password is set; null for accounts without a password. */
  version(trx: Db, user: string): Promise<string | null>
  /** Changes the version: anyone who entered the password earlier but has no session yet must enter it again. */
  renew(trx: Db, user: string): Promise<void>
  /**
   * Stores a hash made by `hash`, in the given transaction. `givenBy`: the organization of the colleague who gave the link for it,
   * null if the link was sent to the mailbox; omitted: as before.
   */
  store(trx: Db, user: string, passwordHash: string, givenBy?: string | null): Promise<void>
  /** The stored hash; null for accounts without a password. */
  current(trx: Db, user: string): Promise<string | null>
  /** Whether the password matches the hash. */
  matches(passwordHash: string, password: string, group: QueueGroup): Promise<boolean>
  /** Removes the password: nobody can log in until a new one is set. */
  remove(trx: Db, user: string): Promise<void>
  /**
   * Hashes a new password. Throws AppError `invalid` with `field` if it is too short, too long or easy to guess; `about`
   * holds the user's names and address.
   */
  hash(password: string, about: readonly string[], field: string, group?: QueueGroup): Promise<string>
}

/** The same text can arrive in two Unicode forms on two systems; both must be the same password. */
function normalized(password: string): string {
  return password.normalize('NFKC')
}

/** Rejects a new password that is too short, too long or easy to guess; see `Credentials.hash`. */
export async function assertStrongPassword(password: string, about: readonly string[], field: string): Promise<void> {
  const { problem } = await ratePassword(password, about)
  if (problem) throw new AppError('invalid', problem, { field, excType: 'ValidationError' })
}

const argon2id: Hashing = { hash: hashPassword, verify: verifyPassword, needsRehash }

/** Creates the password store. */
export function createCredentials(db: Db, hashing: Hashing = argon2id): Credentials {
  async function store(trx: Db, user: string, passwordHash: string, givenBy?: string | null): Promise<void> {
    await sql`insert into easydash_credential ("user", password_hash, given_by)
      values (${user}, ${passwordHash}, ${givenBy ?? null})
      on conflict ("user") do update set password_hash = excluded.password_hash, changed = now(),
        given_by = case when ${givenBy === undefined} then easydash_credential.given_by else excluded.given_by end`.execute(
      trx,
    )
  }

  async function read(trx: Db, user: string): Promise<{ hash: string; version: string } | null> {
    const { rows } = await sql<{ hash: string; version: string }>`select password_hash as hash, changed::text as version
      from easydash_credential where "user" = ${user}`.execute(trx)
    return rows[0] ?? null
  }

  async function verify(user: string, password: string, group: QueueGroup): Promise<string | null> {
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
    check: async (user, password, group) => (await verify(user, password, group)) !== null,
    verify,
    async hash(password, about, field, group) {
      await assertStrongPassword(password, about, field)
      return hashing.hash(normalized(password), group)
    },
  }
}
