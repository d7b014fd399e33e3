import { parseOwnJson, isObject } from '#shared/parse-json.ts'
import { createOneByOne } from '#server/platform/one-by-one.ts'
import { listNames } from '#server/platform/files/list-folder.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type SyncedUsers, type WordPressPerson, type WordPressUserLists } from '../../engine.ts'
import { parseSyncedUsers } from '../../wordpress-person.ts'
import type { AwakeSites } from '../processes/awake-sites.ts'
import { passCookie } from '../settings/http-auth.ts'
import { loginPath } from '../proxy/proxy.ts'
import { stripForeignDomain } from '../proxy/proxy-headers.ts'
import type { SiteRecord } from './site-record.ts'
import { writeJson, type SiteStore } from './site-store.ts'

/** Creates and redeems single-use login links, and removes the users they created. */
export interface LoginLinks {
  /** With `as`, the link signs in as the user of that login name, if the person still may when it is used. */
  create(record: SiteRecord, person: WordPressPerson, ttlSeconds: number, to: LinkTarget): Promise<string>
  redeem(record: SiteRecord, request: IncomingMessage, response: ServerResponse): Promise<void>
  /** See `Engine.syncUsers`. */
  syncUsers(record: SiteRecord, lists: WordPressUserLists): Promise<SyncedUsers>
}

/** Where a link leads. */
export interface LinkTarget {
  readonly siteUrl: string
  /** Login name of the WordPress user; without it, the person's own. */
  readonly as?: string
  /** The admin area of the network instead of that of the site. */
  readonly to?: 'network'
}

interface Token {
  person: WordPressPerson
  as?: string
  to?: 'network'
  expiresAt: number
}

interface LinksContext {
  readonly store: SiteStore
  readonly awake: AwakeSites
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Sites are reached over HTTPS. */
  readonly isSecure: boolean
}

/**
 * Tokens are 256 random bits; only their hash is stored, as a file of the site that PHP can't see. Redeeming renames that
 * file, so only one of two simultaneous uses succeeds.
 */
export function createLoginLinks(context: LinksContext): LoginLinks {
  const { store, now } = context
  // A link that is being redeemed must not create a user after `syncUsers` has removed it, and two links of one person must
  // not create two.
  const oneByOne = createOneByOne()
  return {
    create: async (record, person, ttlSeconds, { siteUrl, as, to }) => {
      const { tokens } = store.paths(record.id)
      await mkdir(tokens, { recursive: true, mode: 0o700 })
      await dropTokens(tokens, ({ expiresAt }) => expiresAt <= now())
      const token = randomBytes(32).toString('base64url')
      const expiresAt = now() + ttlSeconds * 1000
      const content: Token = {
        person,
        ...(as === undefined ? {} : { as }),
        ...(to === undefined ? {} : { to }),
        expiresAt,
      }
      await writeJson(fileOf(context, record, token), content)
      return `${siteUrl}${loginPath}?token=${token}`
    },
    redeem: (record, request, response) => oneByOne(record.id, () => redeem(context, record, request, response)),
    syncUsers: (record, lists) => oneByOne(record.id, () => syncUsers(context, record, lists)),
  }
}

async function redeem(
  context: LinksContext,
  record: SiteRecord,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const token = new URL(request.url ?? '/', 'http://site').searchParams.get('token') ?? ''
  // Link previews send HEAD requests, which must not consume the link.
  const valid = request.method === 'GET' && /^[\w-]{43}$/.test(token) ? await takeToken(context, record, token) : null
  if (valid === null) return redirect(response, '/', [])
  const { awake } = context
  const release = awake.hold(record.id)
  try {
    const process = await awake.wake(record.id)
    const { to, ...input } = valid
    const { value, headers } = await process.call('login', input)
    const found = isObject(value) && value['found'] === true
    const host = request.headers.host ?? ''
    const cookies = (headers['set-cookie'] ?? []).map((cookie) => stripForeignDomain(cookie, host))
    const admin = to === 'network' ? '/wp-admin/network/' : '/wp-admin/'
    redirect(response, found ? admin : '/', found ? [...cookies, ...passOf(context, record)] : [])
  } catch (error) {
    throw error instanceof EngineError
      ? error
      : new EngineError('unavailable', msg`The site could not log you in.`, {
          retryable: true,
          nextAction: msg`Open a new link.`,
          cause: error,
        })
  } finally {
    release()
  }
}

/** The cookie for HTTP authentication, if the site has it. */
function passOf({ now, isSecure }: LinksContext, { id, settings }: SiteRecord): string[] {
  return settings?.httpAuth ? [passCookie(settings.httpAuth, id, now(), isSecure)] : []
}

async function syncUsers(
  { store, awake }: LinksContext,
  record: SiteRecord,
  lists: WordPressUserLists,
): Promise<SyncedUsers> {
  // First of all, and even if the site does not start.
  const kept = new Map(lists.keep.map(({ key, role }) => [key, role]))
  await dropTokens(store.paths(record.id).tokens, ({ person }) => kept.get(person.key) !== person.role)
  const release = awake.hold(record.id)
  try {
    const process = await awake.wake(record.id)
    const { value } = await process.call('users', { ...lists })
    const synced = parseSyncedUsers(value, lists)
    if (synced === null) throw new Error('The script did not say who is gone.')
    return synced
  } catch (error) {
    throw error instanceof EngineError
      ? error
      : new EngineError('unavailable', msg`The site could not change its WordPress users.`, {
          retryable: true,
          nextAction: msg`Look at the error log of the site.`,
          cause: error,
        })
  } finally {
    release()
  }
}

function fileOf({ store }: LinksContext, record: SiteRecord, token: string): string {
  return join(store.paths(record.id).tokens, `${createHash('sha256').update(token).digest('hex')}.json`)
}

async function takeToken(
  context: LinksContext,
  record: SiteRecord,
  token: string,
): Promise<(WordPressPerson & Pick<Token, 'as' | 'to'>) | null> {
  const file = fileOf(context, record, token)
  const taken = `${file}.${randomBytes(4).toString('hex')}`
  try {
    await rename(file, taken)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw error
  }
  const content = parseOwnJson<Token>(await readFile(taken, 'utf8'))
  await rm(taken, { force: true })
  const { person, as, to, expiresAt } = content
  if (expiresAt <= context.now()) return null
  return { ...person, ...(as === undefined ? {} : { as }), ...(to === undefined ? {} : { to }) }
}

function redirect(response: ServerResponse, location: string, cookies: string[]): void {
  response.writeHead(302, {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-length': '0',
    ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
  })
  response.end()
}

async function dropTokens(folder: string, isUnwanted: (token: Token) => boolean): Promise<void> {
  for (const name of await listNames(folder)) {
    const path = join(folder, name)
    try {
      if (isUnwanted(parseOwnJson<Token>(await readFile(path, 'utf8')))) await rm(path, { force: true })
    } catch (error) {
      // Redeemed at this very moment, or a write interrupted by a crash.
      if (error instanceof SyntaxError) await rm(path, { force: true })
      else if (systemErrorCode(error) !== 'ENOENT') throw error
    }
  }
}
