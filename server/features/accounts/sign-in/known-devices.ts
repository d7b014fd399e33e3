import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'
import { addressGroup, widestAddressGroup } from '#server/platform/network/address-groups.ts'
import type { QueueGroup } from '#server/platform/fair-queue.ts'
import { hashToken, newToken } from '#server/platform/secrets/tokens.ts'

/**
 * Devices an account has signed in from (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"): while somebody
 * guesses at an account from elsewhere, they go on. A device is known by a random value in a cookie of its own, which
 * has no other power, or more weakly by the address it signed in from.
 */

/** Where a request comes from. `device`: value of the device cookie; null without one. */
export interface Requester {
  readonly ip: string
  readonly device: string | null
}

/** How a requester is known to an account: by the value of its cookie (stored as `hash`), by its address, or not at all. */
export type Acquaintance = { readonly by: 'cookie'; readonly hash: string } | { readonly by: 'address' | 'nothing' }

/** How long a device and an address are known after their last sign-in, in days. */
const keptDays = { cookie: 180, address: 30 } as const
/** Most devices and most addresses of an account; the last used ones. */
const mostOfAccount = { cookie: 30, address: 10 } as const
type Kind = keyof typeof keptDays
/** Accounts that one browser is known to at once: the cookie holds a value for each. */
const mostOfBrowser = 5

const tokensOf = ({ device }: Requester): string[] =>
  /^[\w-]{43}(?:\.[\w-]{43})*$/.test(device ?? '') ? (device as string).split('.').slice(-mostOfBrowser) : []
const addressHash = ({ ip }: Requester): string => hashToken(`address ${addressGroup(ip)}`)

/** How an account knows a requester. The same work for accounts that do not exist. */
export async function acquaintanceOf(db: Db, user: string, requester: Requester): Promise<Acquaintance> {
  const hashes = tokensOf(requester).map((token) => hashToken(token))
  const among = (kind: Kind, values: readonly string[]) => sql<boolean>`kind = ${kind} and hash = any(${values}::text[])
    and last_used > now() - make_interval(days => ${keptDays[kind]})`
  const { rows } = await sql<{ kind: Kind; hash: string }>`select kind, hash from easydash_known_device
    where "user" = ${user} and (${among('cookie', hashes)} or ${among('address', [addressHash(requester)])})`.execute(
    db,
  )
  const cookie = rows.find(({ kind }) => kind === 'cookie')
  if (cookie) return { by: 'cookie', hash: cookie.hash }
  return { by: rows.length > 0 ? 'address' : 'nothing' }
}

/**
 * Notes that an account signed in from here, or proved its mailbox here. Returns the new value of the device cookie: it
 * keeps the values of other accounts, and each account has one of its own, so that none can be planted for another.
 */
export async function rememberRequester(db: Db, user: string, requester: Requester): Promise<string> {
  const tokens = tokensOf(requester)
  const known = await acquaintanceOf(db, user, requester)
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
      last_used < now() - make_interval(days => ${keptDays[kind]}) or hash not in (
        select hash from easydash_known_device where "user" = ${user} and kind = ${kind}
        order by last_used desc limit ${mostOfAccount[kind]}))`.execute(db)
  }
  return [...tokens.filter((one) => one !== token), token].slice(-mostOfBrowser).join('.')
}

/** Whose turn it is when a requester waits for a password's hash. */
export function queueGroupOf(requester: Requester, known: Acquaintance): QueueGroup {
  if (known.by === 'cookie') return { key: known.hash, known: true }
  return { key: widestAddressGroup(requester.ip), known: false }
}

/** Forgets all devices and addresses of an account: whoever knew the password before may have been there. */
export async function forgetRequesters(trx: Db, user: string): Promise<void> {
  await sql`delete from easydash_known_device where "user" = ${user}`.execute(trx)
}
