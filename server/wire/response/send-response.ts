import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendDownload } from '../files/send-download.ts'
import type { MethodResponse } from '../methods/call-method.ts'
import type { WireServices } from '../options.ts'
import { setCookies } from '../request/cookies.ts'
import { contextOf } from '../request/request-context.ts'
import { changedCookies } from './default-cookies.ts'
import { noStore } from './headers.ts'

/** Sends a successful response, including the cookies that keep the browser's session data current. */
export async function sendMethodResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  response: MethodResponse,
  services: WireServices,
): Promise<FastifyReply> {
  const { sessionExpired } = contextOf(request)
  const { status, download, cookies, furtherCookies = [] } = response
  setCookies(reply, [...(cookies ?? (await changedCookies(request, services))), ...furtherCookies])
  if (download) return sendDownload(request, reply, download, services)
  const body = sessionExpired ? { ...response.body, session_expired: 1 } : response.body
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', noStore)
    .send(JSON.stringify(body))
}
