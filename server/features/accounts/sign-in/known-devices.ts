import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'
import { addressGroup, widestAddressGroup } from '#server/platform/network/address-groups.ts'
import type { QueueGroup } from '#server/platform/fair-queue.ts'
import { hashToken, newToken } from '#server/platform/secrets/tokens.ts'

/**
 * Devices an account has signed in from (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). They keep working
 * while somebody guesses the account's password from elsewhere. A device is identified by a random value in its own cookie,
 * which grants nothing else, or more weakly by its IP address.
 */

/** Origin of a request. `device`: value of the device cookie, or null. */
export interface Requester {
  readonly ip: string
  readonly device: string | null
}

/** How an account knows a requester: by the device cookie (stored as `hash`), by IP address, or not at all. */
export type DeviceRecognition =
  | { readonly by: 'cookie'; readonly hash: string }
  | { readonly by: 'address' | 'nothing' }

/** Days that a device or an address stays known after its last sign-in. */
const retentionDays = { cookie: 180, address: 30 } as const
/** Maximum number of devices and addresses per account; the most recently used are kept. */
const maxPerAccount = { cookie: 30, address: 10 } as const
type Kind = keyof typeof retentionDays
/** Maximum number of accounts known to one browser: the cookie holds one value per account. */
const maxPerBrowser = 5

const tokensOf = ({ device }: Requester): string[] =>
  /^[\w-]{43}(?:\.[\w-]{43})*$/.test(device ?? '') ? (device as string).split('.').slice(-maxPerBrowser) : []
const addressHash = ({ ip }: Requester): string => hashToken(`address ${addressGroup(ip)}`)

/** How an account knows a requester. Does the same work for accounts that do not exist. */
export async function recognizeDevice(db: Db, user: string, requester: Requester): Promise<DeviceRecognition> {
  const hashes = tokensOf(requester).map((token) => hashToken(token))
  const among = (kind: Kind, values: readonly string[]) => sql<boolean>`kind = ${kind} and hash = any(${values}::text[])
    and last_used > now() - make_interval(days => ${retentionDays[kind]})`
  const { rows } = await sql<{ kind: Kind; hash: string }>`select kind, hash from easydash_known_device
    where "user" = ${user} and (${among('cookie', hashes)} or ${among('address', [addressHash(requester)])})`.execute(
    db,
  )
  const cookie = rows.find(({ kind }) => kind === 'cookie')
  if (cookie) return { by: 'cookie', hash: cookie.hash }
  return { by: rows.length > 0 ? 'address' : 'nothing' }
}

/**
 * Records that the user signed in or proved their mailbox from this requester. Returns the new value of the device cookie.
 * It keeps the values of other accounts; each account has its own, so that a value cannot be planted for another account.
 */
export async function recordKnownDevice(db: Db, user: string, requester: Requester): Promise<string> {
  const tokens = tokensOf(requester)
  const known = await recognizeDevice(db, user, requester)
  const own = known.by === 'cookie' ? tokens.find((token) => hashToken(token) === known.hash) : undefined
  const token = own ?? newToken()
  const seen: readonly (readonly [Kind, string])[] = [
    ['cookie', hashToken(token)],
    ['address', addressHash(requester)],
  ]
  for (const [kind, hash] of seen) {
    await sql`insert into easydash_known_device ("user", kind, hash) values (${user}, ${kind}, ${hash})
      on conflict ("user", kind, hash) do update set last_used = now()`.execute(db)
    await sql`delete from easydash_known_device where "user" = ${user} and kind = ${kind} and (
      last_used < now() - make_interval(days => ${retentionDays[kind]}) or hash not in (
        select hash from easydash_known_device where "user" = ${user} and kind = ${kind}
        order by last_used desc limit ${maxPerAccount[kind]}))`.execute(db)
  }
  return [...tokens.filter((one) => one !== token), token].slice(-maxPerBrowser).join('.')
}

/** The queue in which a requester waits for password hashing. */
export function queueGroupOf(requester: Requester, known: DeviceRecognition): QueueGroup {
  if (known.by === 'cookie') return { key: known.hash, known: true }
  return { key: widestAddressGroup(requester.ip), known: false }
}

/** Forgets all devices and addresses of an account, because anyone who knew the old password may have added theirs. */
export async function forgetKnownDevices(trx: Db, user: string): Promise<void> {
  await sql`delete from easydash_known_device where "user" = ${user}`.execute(trx)
}
