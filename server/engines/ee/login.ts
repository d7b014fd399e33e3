import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type SyncedUsers, type WordPressPerson, type WordPressUserLists } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import { parseSyncedUsers } from '../wordpress-person.ts'
import type { EeContext } from './ee-context.ts'
import { browserAddress } from './request.ts'
import { look, outputOf } from './remote.ts'
import { existingSite, existingWordPress, workdirOf } from './site-of.ts'
import { jsonIn, runWp } from './wp.ts'

/** Functions of the local engine's scripts, in the order in which the plugin has them. */
const sharedParts = ['grant', 'members', 'sign-in', 'sign-out'].map((name) => `../local/php/${name}.php`)

/** Our must-use plugin: one file in a namespace of its own, so that it can be on a site that has scripts with the same functions. */
export const loginPlugin: string = [
  '<?php\n/* Plugin Name: Easydash\n * Description: Lets people sign in from Easydash by links for one use. Easydash places this file when it needs it; it removes itself. */\nnamespace Easydash_Login;\n',
  ...[...sharedParts, 'php/login.php'].map((path) =>
    readFileSync(new URL(path, import.meta.url), 'utf8').replace(/^<\?php\n/, ''),
  ),
].join('\n')

/** Whom a link signs in, and where it leads. */
export interface LoginLink {
  readonly person: WordPressPerson
  readonly ttlSeconds: number
  /** Leads to the admin area of the network. */
  readonly network?: boolean
  /** As this user instead of the person's own. */
  readonly as?: string
}

/** What a site stores of a link with a token; nothing in it gives the token away. */
export function storedLink(token: string, { person, ttlSeconds, network, as }: LoginLink, now: number) {
  const hash = createHash('sha256').update(token).digest('hex')
  const { key, role, login, name, email, reserved } = person
  const expires = Math.floor(now / 1000) + ttlSeconds
  const link = { hash, expires, key, role, login, name, email, reserved, network: network === true, as: as ?? null }
  return { hash, content: JSON.stringify(link) }
}

/** Makes a link that signs a person in once. The site never sees its token before it is used. */
export async function makeLoginLink(context: EeContext, site: SiteRef, link: LoginLink): Promise<string> {
  const { row } = await existingWordPress(context, site)
  const token = randomBytes(32).toString('base64url')
  const { hash, content } = storedLink(token, link, Date.now())
  await place(context, site, { workdir: workdirOf(row), hash, link: content })
  // Never in clear where there is a certificate.
  const address = browserAddress(context, { ...site, isSecure: (row.site_ssl ?? '') !== '' })
  return `${address}/?easydash-login=${token}`
}

/** Makes the users that links created agree with lists; see `Engine.syncUsers`. */
export async function syncUsers(context: EeContext, site: SiteRef, lists: WordPressUserLists): Promise<SyncedUsers> {
  const { row } = await existingSite(context, site)
  if (row.site_type !== 'wp') return { removed: 0, gone: [...lists.pause, ...lists.remove] }
  const workdir = workdirOf(row)
  // Nobody can use such a link. While it is there, the plugin stays.
  const link = JSON.stringify({ expires: Math.floor(Date.now() / 1000) + 300 })
  await place(context, site, { workdir, hash: randomBytes(32).toString('hex'), link })
  const { keep, pause, remove, reassignTo } = lists
  const input = JSON.stringify({ keep: keep.map(({ key, role }) => ({ key, role })), pause, remove, reassignTo })
  const said = jsonIn(await runWp(context, site, { workdir, args: ['easydash', 'sync'], input }))
  const synced = parseSyncedUsers(said, lists)
  if (synced !== null) return synced
  throw new EngineError('unavailable', msg`The site did not say whether the users were removed.`, {
    retryable: true,
    nextAction: msg`Retry.`,
  })
}

/** Places a link and the plugin. It leaves EasyEngine alone, so it need not wait for its changes. */
async function place(
  context: EeContext,
  site: SiteRef,
  { workdir, hash, link }: { readonly workdir: string; readonly hash: string; readonly link: string },
): Promise<void> {
  const variables = { plugin: loginPlugin, link }
  const call = { script: 'login-link', args: [site.domain, workdir, hash], variables, isLong: true } as const
  outputOf(await look(context, site.server, call))
}
