import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'
import { hashToken, newToken } from '#server/platform/secrets/tokens.ts'
import type { AccountsDeps } from '../deps.ts'
import type { PendingLogin, ProviderSettings } from './openid-provider.ts'

/** How long a person can take at the provider, in seconds. */
const attemptSeconds = 600

/** A login that a browser is away for. */
export interface ProviderAttempt {
  readonly organization: string
  /** The settings it began with; if they changed meanwhile, it is void. */
  readonly issuer: string
  readonly clientId: string
  readonly pending: PendingLogin
}

const aadOf = (stateHash: string) => `provider_attempt|${stateHash}`

type Seals = AccountsDeps['secrets']

/**
 * Stores an attempt. Returns a secret for the browser that started it: the address that it comes back with is worth nothing in
 * another browser, where somebody could be logged in to a stranger's account with it (RFC 6749, section 10.12).
 */
export async function openAttempt(
  db: Db,
  seals: Seals,
  organization: string,
  { issuer, clientId }: Pick<ProviderSettings, 'issuer' | 'clientId'>,
  pending: PendingLogin,
): Promise<string> {
  const attempt = newToken()
  const hash = hashToken(pending.state)
  const sealed = await seals.seal(aadOf(hash), JSON.stringify(pending))
  await sql`delete from easydash_provider_attempt where expires < now()`.execute(db)
  await sql`insert into easydash_provider_attempt (state_hash, browser_hash, organization, issuer, client_id, sealed, expires)
    values (${hash}, ${hashToken(attempt)}, ${organization}, ${issuer}, ${clientId}, ${sealed},
      now() + make_interval(secs => ${attemptSeconds}))`.execute(db)
  return attempt
}

/** Takes the attempt of a state that this browser started; null if there is none, it has expired or was taken. */
export async function takeAttempt(
  db: Db,
  seals: Seals,
  state: string,
  attempt: string,
): Promise<ProviderAttempt | null> {
  const hash = hashToken(state)
  const { rows } = await sql<{ organization: string; issuer: string; client_id: string; sealed: string }>`
    delete from easydash_provider_attempt where state_hash = ${hash} and browser_hash = ${hashToken(attempt)}
      and expires > now() returning organization, issuer, client_id, sealed`.execute(db)
  const row = rows[0]
  if (!row) return null
  // Ours: it was sealed with the key of this installation.
  const pending = JSON.parse(await seals.open(aadOf(hash), row.sealed)) as PendingLogin
  return { organization: row.organization, issuer: row.issuer, clientId: row.client_id, pending }
}
