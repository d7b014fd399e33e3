import { parseOwnJson } from '#shared/parse-json.ts'
import { createOneByOne } from '#server/platform/one-by-one.ts'
import { listNames } from '#server/platform/files/list-folder.ts'
import { exists } from '#server/platform/files/exists.ts'
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
import type { EnginePage } from '../../engine-page.ts'
import { assertLoginAs } from '../../wordpress-scripts.ts'
import { signInPath } from '../child/messages.ts'
import type { SiteProcess } from '../processes/site-process-handle.ts'
import { runScript } from '../wordpress/run-script.ts'
import { isPreview } from './link-previews.ts'
import { expiredLink, notForPreviews, sendPage, usedLink } from './pages.ts'
import type { SiteRecord } from './site-record.ts'
import { writeJson, type SiteStore } from './site-store.ts'

/** Creates and redeems single-use login links, and removes the users they created. */
export interface LoginLinks {
  /** With `as`, the link signs in as the user of that login name, if the person still may when it is used. */
  create(record: SiteRecord, person: WordPressPerson, ttlSeconds: number, to: LinkTarget): Promise<string>
  /** Answers a request that signs nobody in; for any other, says how the site answers it. */
  redeem(record: SiteRecord, request: IncomingMessage, response: ServerResponse): Promise<SignInRequest | null>
  /** See `Engine.syncUsers`. */
  syncUsers(record: SiteRecord, lists: WordPressUserLists): Promise<SyncedUsers>
}

/** Path of login links. Hidden paths never belong to a site. */
export const loginPath = '/.easydash/login'

/** Where a link leads. */
export interface LinkTarget {
  readonly siteUrl: string
  /** Login name of the WordPress user; without it, the person's own. */
  readonly as?: string
  /** The admin area of the network instead of that of the site. */
  readonly to?: 'network'
}

/** A request that signs a person in, for the site's process. */
export interface SignInRequest {
  readonly process: SiteProcess
  readonly path: string
  /** Added to those of the site. */
  readonly cookies: readonly string[]
}

interface Token {
  person: WordPressPerson
  as?: string
  to?: 'network'
  expiresAt: number
}

/** What is left of a token, to say so. */
interface UsedToken {
  used: true
  expiresAt: number
}

/** How long a used link is known as one. */
const rememberedMs = 24 * 60 * 60_000

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
  // A link must not create a user after `syncUsers` has removed it, and two links of one person must not create two.
  const oneByOne = createOneByOne()
  return {
    create: async (record, person, ttlSeconds, { siteUrl, as, to }) => {
      await oneByOne(record.id, () => prepare(context, record, { ...person, ...(as === undefined ? {} : { as }) }))
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
    redeem: (record, request, response) => redeem(context, record, request, response),
    syncUsers: (record, lists) => oneByOne(record.id, () => syncUsers(context, record, lists)),
  }
}

/** Asks the site whether the person may sign in, and has it make their own user. */
async function prepare(
  context: LinksContext,
  record: SiteRecord,
  input: WordPressPerson & Pick<Token, 'as'>,
): Promise<void> {
  const result = await runScript(context, record, { script: 'login', input: { ...input } })
  if (input.as !== undefined) assertLoginAs(result)
  else if (result['found'] !== true)
    throw new EngineError('conflict', msg`The site did not let Easydash make a WordPress user for you.`, {
      nextAction: msg`Look for a plugin that forbids new users.`,
    })
}

async function redeem(
  context: LinksContext,
  record: SiteRecord,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<SignInRequest | null> {
  const answer = (page: EnginePage): null => {
    sendPage(request, response, page)
    return null
  }
  if (isPreview(request)) return answer(notForPreviews)
  const token = new URL(request.url ?? '/', 'http://site').searchParams.get('token') ?? ''
  const taken = /^[\w-]{43}$/.test(token) ? await takeToken(context, record, token) : null
  if (taken === null) return answer(expiredLink)
  if (taken === 'used') return answer(usedLink)
  const { awake } = context
  response.once('close', awake.hold(record.id))
  const process = await awake.wake(record.id)
  const { person, as, to } = taken
  const ticket = randomBytes(32).toString('base64url')
  process.signIn({
    ticket,
    input: { ...person, ...(as === undefined ? {} : { as }), ...(to === undefined ? {} : { to }) },
  })
  return { process, path: `${signInPath}?${ticket}`, cookies: passOf(context, record) }
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
  await dropTokens(
    store.paths(record.id).tokens,
    (token) => !('used' in token) && kept.get(token.person.key) !== token.person.role,
  )
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

/** Renaming is the claim: only one of several uses can do it. */
async function takeToken(context: LinksContext, record: SiteRecord, token: string): Promise<Token | 'used' | null> {
  const file = fileOf(context, record, token)
  const taken = `${file.replace(/\.json$/, '')}.used.json`
  try {
    await rename(file, taken)
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
    return (await exists(taken)) ? 'used' : null
  }
  const content = parseOwnJson<Token>(await readFile(taken, 'utf8'))
  const used: UsedToken = { used: true, expiresAt: context.now() + rememberedMs }
  await writeJson(taken, used)
  return content.expiresAt <= context.now() ? null : content
}

async function dropTokens(folder: string, isUnwanted: (token: Token | UsedToken) => boolean): Promise<void> {
  for (const name of await listNames(folder)) {
    const path = join(folder, name)
    try {
      if (isUnwanted(parseOwnJson<Token | UsedToken>(await readFile(path, 'utf8')))) await rm(path, { force: true })
    } catch (error) {
      // Redeemed at this very moment, or a write interrupted by a crash.
      if (error instanceof SyntaxError) await rm(path, { force: true })
      else if (systemErrorCode(error) !== 'ENOENT') throw error
    }
  }
}
