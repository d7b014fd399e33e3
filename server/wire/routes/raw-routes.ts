import type { FastifyPluginCallback } from 'fastify'
import type { RawRoute } from '#server/contracts/raw-route.ts'
import { checkText } from '#server/platform/json-values.ts'
import type { WireServices } from '../options.ts'
import { checkOrigin } from '../request/authenticate.ts'
import { contextOf } from '../request/request-context.ts'
import { noStore } from '../response/headers.ts'

/** Raw routes of the features: hooks for sessions, parameters and calls skip them. */
export const rawRoutes: FastifyPluginCallback<{ services: WireServices; routes: readonly RawRoute[] }> = (
  app,
  { services, routes },
  done,
) => {
  // For these routes only: the body stays as sent, whatever its type.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body))

  for (const { verb, path, bodyLimit, rateLimit, run } of routes) {
    app.route<{ Params: Record<string, string>; Body: Buffer | undefined }>({
      method: verb,
      url: path,
      bodyLimit,
      config: { isRaw: true },
      onRequest: async (request) => {
        checkOrigin(request.method, request.headers, services.config.url)
        const { client } = contextOf(request)
        await services.rateLimiter.hitOwn(`${verb} ${path}`, rateLimit, { address: client.ip })
        // Strangers must not get text to the database that it refuses as a defect of ours.
        for (const text of Object.values(request.params)) checkText(text)
      },
      handler: async (request, reply) => {
        const { client, query } = contextOf(request)
        const { headers, params, body = Buffer.alloc(0) } = request
        const response = await run({ headers, body, params, query, ip: client.ip })
        return reply
          .code(response.status)
          .header('cache-control', noStore)
          .headers(response.headers ?? {})
          .send(response.body)
      },
    })
  }
  done()
}
