import { AppError } from '#shared/errors.ts'
import { sanitize } from '../response/sanitize.ts'
import { isDownload, type Download } from '#server/contracts/files.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Method } from '#server/contracts/method.ts'
import type { SessionStore } from '#server/contracts/session.ts'
import { deviceCookie, expiredCookies, type Cookie } from '../request/cookies.ts'
import { serverMessages, type ServerMessage } from '../response/error-response.ts'
import { guestSession, type Exchange } from '../request/request-context.ts'
import { isSafeKey } from '#server/documents/store/json-values.ts'
import { say } from '#shared/sentence.ts'
import type { Params } from '../request/parameters.ts'
import {
  acceptedVerbs,
  checkAccess,
  notAvailable,
  readParams,
  type Registry,
  type WireContext,
  type WireMethod,
} from './method-registry.ts'
import type { WireOptions } from '../options.ts'
import type { SessionCookies } from '../response/session-cookies.ts'

/** A successful answer. `cookies` replaces the ones every signed-in answer carries. */
export interface Answer {
  status: number
  body: Record<string, unknown>
  cookies?: readonly Cookie[]
  /** Cookies beside those. */
  furtherCookies?: readonly Cookie[]
  /** Bytes instead of the body. */
  download?: Download
}

/** What a method call needs around it. */
export interface CallSetting {
  documents: Documents
  sessions: SessionStore
  registry: Registry
  cookies: SessionCookies
  log: WireOptions['log']
}

const signIn: ReadonlySet<string> = new Set(['login'])

/** Whether a method name is the sign-in, which is exempt from the CSRF token. */
export function isLogin(name: string): boolean {
  return signIn.has(name)
}

/** Runs one method: rule, verb, parameters, then the method itself. */
export async function callMethod(
  setting: CallSetting,
  name: string,
  verb: string,
  params: Params,
  exchange: Exchange,
  userAgent: string,
): Promise<Answer> {
  const method = setting.registry.find(name)
  if (method === null) throw notAvailable(name)
  checkAccess(method, exchange.session)
  if (!acceptedVerbs(method).includes(verb === 'HEAD' ? 'GET' : verb)) {
    throw new AppError('forbidden', say`The method ${method.name} is called with ${method.verbs.join(' or ')}.`)
  }
  const raw = 'rawParams' in method
  exchange.aboutDocument = raw && method.aboutDocument === true
  const call = openCall(setting, exchange, userAgent)
  const message = await run(method, raw ? params : readParams(method, params), call.context)
  if (isDownload(message)) return { status: 200, body: {}, download: message }
  return {
    status: 200,
    body: {
      ...call.extras,
      ...(message === null || message === undefined ? {} : { message }),
      ...noticesOf(call.notices),
    },
    ...(call.cookies() === null ? {} : { cookies: call.cookies() ?? [] }),
    furtherCookies: call.furtherCookies(),
  }
}

function run(method: Method | WireMethod, params: Record<string, unknown>, context: WireContext): Promise<unknown> {
  return method.run(params, context)
}

function noticesOf(notices: readonly ServerMessage[]): Record<string, unknown> {
  return notices.length === 0 ? {} : { _server_messages: serverMessages(notices) }
}

/** The context of one call, and what the method left in it. */
function openCall(setting: CallSetting, exchange: Exchange, userAgent: string) {
  const { documents, sessions } = setting
  const notices: ServerMessage[] = []
  const extras: Record<string, unknown> = {}
  let cookies: readonly Cookie[] | null = null
  let furtherCookies: readonly Cookie[] = []
  const context: WireContext = {
    session: exchange.session,
    documents,
    ip: exchange.client.ip,
    userAgent,
    get device() {
      return exchange.device
    },
    csrfToken: exchange.cookie?.csrfToken ?? null,
    upload: exchange.upload,
    async signIn(user, provenWith) {
      const old = exchange.session
      if (old.kind === 'token') throw new AppError('forbidden', say`An API token cannot start a session.`)
      const client = { ip: exchange.client.ip, userAgent, continues: old.id, provenWith }
      const made = await sessions.create(user, client)
      // The session the browser had is of no use any more: its cookie is replaced now.
      if (old.kind === 'cookie' && old.id !== null) await sessions.end(old.id)
      exchange.session = made.session
      exchange.cookie = { sid: made.sid, csrfToken: made.csrfToken }
      exchange.sessionExpired = false
      cookies = await setting.cookies(made.session, made.sid, made.ttlSeconds)
      await context.rememberDevice(user)
    },
    async rememberDevice(user) {
      exchange.device = await sessions.rememberDevice(user, { ip: exchange.client.ip, device: exchange.device })
      furtherCookies = [deviceCookie(exchange.device)]
    },
    async signOut() {
      const { id } = exchange.session
      if (id !== null) await sessions.end(id)
      exchange.session = guestSession(exchange.client.ip)
      exchange.cookie = null
      cookies = expiredCookies()
    },
    notice(message, title = 'Message', indicator = 'green') {
      // Ours may hold markup, and in it what somebody typed.
      notices.push({ message: sanitize(message), title: sanitize(title, { tags: 'none' }), indicator })
    },
    extra(key, value) {
      if (!isSafeKey(key)) throw new Error(`The answer cannot have the key ${key}.`)
      extras[key] = value
    },
  }
  return {
    context,
    notices,
    extras,
    cookies: (): readonly Cookie[] | null => cookies,
    furtherCookies: (): readonly Cookie[] => furtherCookies,
  }
}
