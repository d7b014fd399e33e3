import type { FastifyInstance } from 'fastify'
import { namedTask, runTask } from '#server/platform/log/loop-watchdog.ts'
import { isUpload, assertSameMethod } from '../files/read-multipart.ts'
import { callMethod, isLogin } from '../methods/call-method.ts'
import type { WireServices } from '../options.ts'
import { checkForgery, isUnsafe } from '../request/authenticate.ts'
import { readBody } from '../request/body.ts'
import { mergeParameters } from '../request/parameters.ts'
import { contextOf } from '../request/request-context.ts'
import { sendMethodResponse } from '../response/send-response.ts'
import { isPublicRead } from './identify-caller.ts'

/**
 * Reads the parameters of a request, rejects forged calls, and runs the method named by the parameter `cmd`: Frappe's old
 * form of a call, valid at any address, which the password reset of its clients still uses.
 */
export function dispatchCalls(app: FastifyInstance, services: WireServices): void {
  app.addHook('preHandler', async (request, reply) => {
    const { api, isRaw, isStreamed } = request.routeOptions.config
    if (isRaw || isPublicRead(request)) return undefined
    const context = contextOf(request)
    if (isStreamed) {
      checkForgery(request.method, request.headers, context, services.config.url)
      return undefined
    }
    const { addressedMethod, session } = context
    const query = context.queryParams()
    const takesFile = session.kind !== 'guest' && isUpload(addressedMethod)
    const { upload, ...body } = isUnsafe(request.method)
      ? await readBody(request, takesFile ? services.files : null)
      : {}
    context.upload = upload ?? null
    context.params = mergeParameters({ query, ...body })
    const cmd = commandOf(context.params)
    if (cmd !== null) assertSameMethod(addressedMethod, cmd)
    const method = cmd ?? addressedMethod
    context.login = method !== null && isLogin(method)
    if (method !== null || api === 'document')
      checkForgery(request.method, request.headers, context, services.config.url)
    if (cmd === null) return undefined
    // The method is known only now.
    return runTask(namedTask(`cmd ${cmd.slice(0, 200)}`), async () =>
      sendMethodResponse(request, reply, await callMethod(services, cmd, context), services),
    )
  })
}

function commandOf({ cmd }: Record<string, unknown>): string | null {
  return typeof cmd === 'string' && cmd !== '' ? cmd : null
}
