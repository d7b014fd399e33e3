import { sql } from 'kysely'
import { tableRef } from '#server/documents/documents.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { hashToken } from '#server/platform/secrets/tokens.ts'
import type { AccountsDeps } from '../deps.ts'
import { newBase32Secret, totpStep } from './totp.ts'

/** Number of recovery codes. */
export const recoveryCodeCount = 10

/** State of a user's second factor. */
export interface SecondFactorState {
  enabled: boolean
  /** When it was turned on, ms since epoch; null while it is off. */
  since: number | null
  recoveryCodesLeft: number
}

/**
 * Second factors: time-based codes (RFC 6238) and recovery codes. The secret is encrypted at rest and recovery codes are
 * hashed; every code works once.
 */
export interface SecondFactors {
  state(db: Db, user: string): Promise<SecondFactorState>
  /** Stores a new secret that is not active yet; null if the second factor is already on. */
  begin(trx: Db, user: string): Promise<string | null>
  /** Turns it on if the code is correct for the pending secret. */
  confirm(trx: Db, user: string, code: string): Promise<boolean>
  /** Consumes a code; of several concurrent callers with the same code, exactly one succeeds. */
  use(trx: Db, user: string, code: string): Promise<'code' | 'recovery' | null>
  /** Ten new recovery codes; older ones stop working. This is the only time they are visible. */
  newRecoveryCodes(trx: Db, user: string): Promise<string[]>
  /** Turns it off; false if it was off. */
  disable(trx: Db, user: string): Promise<boolean>
}

interface Row {
  secret: string
  enabled: boolean
  since_ms: number | null
  last_step: string
  recovery: string[]
}

const aadOf = (user: string) => `second_factor|${user}`

/** Normalizes codes as people type them: with spaces and dashes, in any case, with full-width characters. */
const normalized = (code: string) => code.normalize('NFKC').replaceAll(/[\s-]/g, '').toUpperCase()

/** The account says whether it has a factor, for the gate (`documents/permissions/gate.ts`), which knows no features. */
async function markAccount(trx: Db, user: string, enabled: 0 | 1): Promise<void> {
  await sql`update ${tableRef('User')} set two_factor = ${enabled} where name = ${user}`.execute(trx)
}

/** Creates the store; `now` is in ms since epoch. */
export function createSecondFactors(
  secrets: AccountsDeps['secrets'],
  now: () => number = () => Date.now(),
): SecondFactors {
  async function read(db: Db, user: string, lock = false): Promise<Row | null> {
    const { rows } = await sql<Row>`select secret, enabled_at is not null as enabled,
        (extract(epoch from enabled_at) * 1000)::float8 as since_ms, last_step, recovery
      from easydash_second_factor where "user" = ${user} ${lock ? sql`for update` : sql``}`.execute(db)
    return rows[0] ?? null
  }

  /** Accepts a time-based code and stores its step, so that neither it nor an older one is accepted again. */
  async function useTotpCode(trx: Db, user: string, row: Row, code: string): Promise<boolean> {
    const secret = await secrets.open(aadOf(user), row.secret)
    const step = totpStep(secret, code, now(), Number(row.last_step))
    if (step === null) return false
    await sql`update easydash_second_factor set last_step = ${step} where "user" = ${user}`.execute(trx)
    return true
  }

  return {
    async state(db, user) {
      const row = await read(db, user)
      if (!row?.enabled) return { enabled: false, since: null, recoveryCodesLeft: 0 }
      return { enabled: true, since: row.since_ms, recoveryCodesLeft: row.recovery.length }
    },

    async begin(trx, user) {
      const secret = newBase32Secret()
      const sealed = await secrets.seal(aadOf(user), secret)
      const { rows } = await sql`insert into easydash_second_factor ("user", secret) values (${user}, ${sealed})
        on conflict ("user") do update set secret = excluded.secret, last_step = 0
        where easydash_second_factor.enabled_at is null returning 1`.execute(trx)
      return rows.length > 0 ? secret : null
    },

    async confirm(trx, user, code) {
      const row = await read(trx, user, true)
      if (!row || row.enabled || !(await useTotpCode(trx, user, row, normalized(code)))) return false
      await sql`update easydash_second_factor set enabled_at = now() where "user" = ${user}`.execute(trx)
      await markAccount(trx, user, 1)
      return true
    },

    async use(trx, user, code) {
      const row = await read(trx, user, true)
      if (!row?.enabled) return null
      const typed = normalized(code)
      if (/^\d{6}$/.test(typed)) return (await useTotpCode(trx, user, row, typed)) ? 'code' : null
      const hash = hashToken(typed)
      if (!row.recovery.includes(hash)) return null
      await sql`update easydash_second_factor set recovery = array_remove(recovery, ${hash}) where "user" = ${user}`.execute(
        trx,
      )
      return 'recovery'
    },

    async newRecoveryCodes(trx, user) {
      // 80 bits of entropy each, so plain hashes are safe.
      const codes = Array.from({ length: recoveryCodeCount }, () => newBase32Secret(10))
      const hashes = codes.map((code) => hashToken(code))
      await sql`update easydash_second_factor set recovery = ${hashes} where "user" = ${user}`.execute(trx)
      return codes.map((code) => (code.match(/.{4}/g) ?? []).join('-').toLowerCase())
    },

    async disable(trx, user) {
      const { rows } = await sql<{ enabled: boolean }>`delete from easydash_second_factor where "user" = ${user}
        returning enabled_at is not null as enabled`.execute(trx)
      await markAccount(trx, user, 0)
      return rows[0]?.enabled === true
    },
  }
}
