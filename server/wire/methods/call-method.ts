import { AppError } from '#shared/errors.ts'
import { sanitize } from '../response/sanitize.ts'
import { isDownload, type Download } from '#server/contracts/files.ts'
import type { Method } from '#server/contracts/method.ts'
import { deviceCookie, expiredCookies, type Cookie } from '../request/cookies.ts'
import { serverMessages, type ServerMessage } from '../response/error-response.ts'
import { guestSession, type RequestContext } from '../request/request-context.ts'
import { isSafeKey } from '#server/platform/json-values.ts'
import { msg } from '#shared/localized-message.ts'
import {
  acceptedVerbs,
  checkAccess,
  notAvailable,
  readParams,
  type WireContext,
  type WireMethod,
} from './method-registry.ts'
import type { WireServices } from '../options.ts'

/** A successful response. `cookies` replaces the default cookies of signed-in responses. */
export interface MethodResponse {
  status: number
  body: Record<string, unknown>
  cookies?: readonly Cookie[]
  /** Additional cookies. */
  furtherCookies?: readonly Cookie[]
  /** Sent instead of the body. */
  download?: Download
}

const signIn: ReadonlySet<string> = new Set(['login'])

/** Whether a method is the login, which is exempt from the CSRF token. */
export function isLogin(name: string): boolean {
  return signIn.has(name)
}

/** Runs one method: checks access, verb and parameters, then calls it. */
export async function callMethod(
  services: WireServices,
  name: string,
  request: RequestContext,
): Promise<MethodResponse> {
  const { verb, params } = request
  const method = services.registry.find(name)
  if (method === null) throw notAvailable(name)
  checkAccess(method, request.session)
  if (!acceptedVerbs(method).includes(verb === 'HEAD' ? 'GET' : verb)) {
    throw new AppError('forbidden', msg`The method ${method.name} is called with ${method.verbs.join(' or ')}.`)
  }
  const raw = 'rawParams' in method
  request.aboutDocument = raw && method.aboutDocument === true
  const call = openCall(services, request)
  if (!raw) await (method as Method).admit?.(call.context)
  const message = await run(method, raw ? params : readParams(method, params), call.context)
  if (isDownload(message)) return { status: 200, body: {}, download: message }
  return {
    status: 200,
    body: {
      ...call.extras,
      ...(message === null || message === undefined ? {} : { message }),
      ...messagesOf(call.notices),
    },
    ...(call.cookies() === null ? {} : { cookies: call.cookies() ?? [] }),
    furtherCookies: call.furtherCookies(),
  }
}

function run(method: Method | WireMethod, params: Record<string, unknown>, context: WireContext): Promise<unknown> {
  return method.run(params, context)
}

function messagesOf(notices: readonly ServerMessage[]): Record<string, unknown> {
  return notices.length === 0 ? {} : { _server_messages: serverMessages(notices) }
}

/** The context of one call, and what the method adds to the response. */
function openCall(services: WireServices, request: RequestContext) {
  const { documents, sessions } = services
  const { userAgent } = request
  const notices: ServerMessage[] = []
  const extras: Record<string, unknown> = {}
  let cookies: readonly Cookie[] | null = null
  let furtherCookies: readonly Cookie[] = []
  const context: WireContext = {
    session: request.session,
    documents,
    ip: request.client.ip,
    userAgent,
    machineToken: request.machineToken,
    get device() {
      return request.device
    },
    csrfToken: request.cookie?.csrfToken ?? null,
    upload: request.upload,
    async signIn(user, proof = {}) {
      const old = request.session
      if (old.kind === 'token') throw new AppError('forbidden', msg`An API token cannot start a session.`)
      const client = { ip: request.client.ip, userAgent, continues: old.id, ...proof }
      if (request.cookie) await services.replacedSids.add(request.cookie.sid)
      const made = await sessions.create(user, client)
      // Ends the browser's previous session: its cookie is replaced now.
      if (old.kind === 'cookie' && old.id !== null) await sessions.end(old.id)
      request.session = made.session
      request.cookie = { sid: made.sid, csrfToken: made.csrfToken }
      request.sessionExpired = false
      cookies = await services.cookies(made.session, made.sid, made.ttlSeconds)
      if (proof.providerLink === undefined) await context.rememberDevice(user)
    },
    async rememberDevice(user) {
      request.device = await sessions.rememberDevice(user, { ip: request.client.ip, device: request.device })
      furtherCookies = [deviceCookie(request.device)]
    },
    async signOut() {
      const { id } = request.session
      if (id !== null) await sessions.end(id)
      request.session = guestSession(request.client.ip)
      request.cookie = null
      cookies = expiredCookies()
    },
    notice(message, title = 'Message', indicator = 'green') {
      // Our notices may contain markup, and user input inside it.
      notices.push({ message: sanitize(message), title: sanitize(title, { tags: 'none' }), indicator })
    },
    extra(key, value) {
      if (!isSafeKey(key)) throw new Error(`The response cannot have the key ${key}.`)
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
