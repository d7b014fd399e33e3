import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { namedTask, runTask } from '#server/platform/log/loop-watchdog.ts'
import { checkForgery, identify, isUnsafe } from '../request/authenticate.ts'
import { readBody } from '../request/body.ts'
import { refuseLargeBody } from '../request/body-limits.ts'
import { callMethod, isLogin, type Answer, type CallSetting } from '../methods/call-method.ts'
import type { Client } from '../request/client-address.ts'
import { deviceOf, expiredCookies, hasOurCookies, setCookies, type Cookie } from '../request/cookies.ts'
import { exchangeOf, guestSession, hasCommand, queryReader, type Exchange } from '../request/request-context.ts'
import { pageNotFound } from '../response/send-error.ts'
import { newNonce, noStore } from '../response/headers.ts'
import type { WireOptions } from '../options.ts'
import { mergeParameters, type Params } from '../request/parameters.ts'
import { isApiPath, parseApiPath, splitTarget, type ApiPath } from '../request/request-target.ts'
import { answerResource } from './resource-routes.ts'
import { isStoredFilePath, sendDownload } from '../files/send-download.ts'
import { isUploadPath, refuseOtherMethod } from '../files/read-multipart.ts'

/** The method everybody asks at every page: it is not counted against the limit of calls. */
const whoami = new Set(['frappe.auth.get_logged_user', 'get_logged_user'])

/** Opens the exchange of a request: address read, nobody signed in yet. */
export function openExchange(request: FastifyRequest, client: Client): Exchange {
  const { path, query } = splitTarget(request.raw.url ?? '/')
  let nonce: string | null = null
  const exchange: Exchange = {
    id: request.id,
    client,
    path,
    query,
    queryParams: queryReader(query),
    session: guestSession(client.ip),
    cookie: null,
    device: deviceOf(request.headers.cookie),
    sessionExpired: false,
    aboutDocument: false,
    login: false,
    upload: null,
    // Only pages need one, and randomness is what takes longest in turning a request away.
    get nonce() {
      nonce ??= newNonce()
      return nonce
    },
  }
  request.exchange = exchange
  return exchange
}

/** Finds out who calls and counts the call. Runs before the body is read, so that strangers cannot make us read much. */
export async function admit(request: FastifyRequest, options: WireOptions): Promise<void> {
  const exchange = exchangeOf(request)
  const isCall = isApiPath(exchange.path) || isUnsafe(request.method) || hasCommand(exchange)
  // Uploaded files lie outside /api and are opened by API tokens all the same; pages are nothing for them.
  const takesTokens = isCall || isStoredFilePath(exchange.path)
  const identity = await identify(request.headers, exchange.client.ip, options.sessions, takesTokens)
  Object.assign(exchange, identity)
  refuseLargeBody(request.headers, { isGuest: identity.session.kind === 'guest', path: exchange.path })
  if (!isCall) return
  const { user } = exchange.session
  if (asksWhoami(request.method, exchange)) return
  try {
    await options.rateLimiter.hit('api_user', user === 'Guest' ? { address: exchange.client.ip } : user)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error
    throw new AppError('rate_limited', error.sentence, {
      excType: 'TooManyRequestsError',
      retryAfterSeconds: error.retryAfterSeconds ?? 60,
      ...(error.nextAction === undefined ? {} : { nextAction: error.nextAction }),
      retryable: true,
      cause: error,
    })
  }
}

/** Only a plain reading one: `cmd` in query or body could name any method behind this address. */
function asksWhoami(verb: string, exchange: Exchange): boolean {
  const { path } = exchange
  const prefix = '/api/method/'
  return !isUnsafe(verb) && !hasCommand(exchange) && path.startsWith(prefix) && whoami.has(path.slice(prefix.length))
}

/** What a request asks of the API; null when it is not a call at all (a page, a file). */
interface Call {
  api: ApiPath | { kind: 'cmd'; method: string }
  params: Params
}

/** Reads address and parameters. A parameter `cmd` makes a call of any request, whatever its address but an upload's. */
export async function readCall(request: FastifyRequest, files: WireOptions['files']): Promise<Call | null> {
  const exchange = exchangeOf(request)
  const query = exchange.queryParams()
  const takesFile = exchange.session.kind !== 'guest' && isUploadPath(exchange.path)
  const { upload, ...body } = isUnsafe(request.method) ? await readBody(request, takesFile ? files : null) : {}
  exchange.upload = upload ?? null
  const params = mergeParameters({ query, ...body })
  const { cmd } = params
  if (typeof cmd === 'string' && cmd !== '') {
    refuseOtherMethod(exchange.path, cmd)
    return { api: { kind: 'cmd', method: cmd }, params }
  }
  return isApiPath(exchange.path) ? { api: parseApiPath(exchange.path), params } : null
}

/** Answers a call. */
export async function answerCall(
  request: FastifyRequest,
  reply: FastifyReply,
  call: Call,
  setting: CallSetting,
  ownOrigin: string,
): Promise<FastifyReply> {
  const exchange = exchangeOf(request)
  const { api, params } = call
  if (api.kind === 'unknown') throw pageNotFound()
  const isMethod = api.kind === 'method' || api.kind === 'cmd'
  exchange.login = isMethod && isLogin(api.method)
  checkForgery(request.method, request.headers, params, exchange, ownOrigin)
  let answer: Answer
  if (isMethod) {
    const call = () =>
      callMethod(setting, api.method, request.method, params, exchange, request.headers['user-agent'] ?? '')
    // Only now is it known which method `cmd` names.
    answer = await (api.kind === 'cmd' ? runTask(namedTask(`cmd ${api.method.slice(0, 200)}`), call) : call())
  } else {
    exchange.aboutDocument = true
    const verb = request.method === 'HEAD' ? 'GET' : request.method
    answer = await answerResource(setting.documents, exchange.session, verb, api, params)
  }
  return sendAnswer(request, reply, answer, setting)
}

/** Sends a successful answer with the cookies that keep the browser's picture of the session right. */
async function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  setting: CallSetting,
): Promise<FastifyReply> {
  const exchange = exchangeOf(request)
  setCookies(reply, [...(answer.cookies ?? (await freshCookies(request, setting))), ...(answer.furtherCookies ?? [])])
  if (answer.download) return sendDownload(request, reply, answer.download, setting)
  const body = exchange.sessionExpired ? { ...answer.body, session_expired: 1 } : answer.body
  return reply
    .code(answer.status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', noStore)
    .send(JSON.stringify(body))
}

/** The cookies every answer carries: the session's again, or none of them for who is a guest now. */
export async function freshCookies(
  request: FastifyRequest,
  setting: Pick<CallSetting, 'cookies'>,
): Promise<readonly Cookie[]> {
  const { session, cookie } = exchangeOf(request)
  if (cookie !== null) return setting.cookies(session, cookie.sid)
  if (session.kind === 'guest' && hasOurCookies(request.headers.cookie)) return expiredCookies()
  return []
}
