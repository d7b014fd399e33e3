import type { FastifyPluginCallback } from 'fastify'
import { callMethod } from '../methods/call-method.ts'
import type { WireServices } from '../options.ts'
import { contextOf } from '../request/request-context.ts'
import { sendMethodResponse } from '../response/send-response.ts'
import { frappeVerbs, nameInPath, withSlash } from './routing.ts'

/** `/method/{dotted.name}`, below the API's prefix. The method itself decides which verbs it accepts (403, not 405). */
export const methodRoutes: FastifyPluginCallback<{ services: WireServices }> = (app, { services }, done) => {
  for (const url of withSlash('/method/:method')) {
    app.route<{ Params: { method: string } }>({
      method: frappeVerbs,
      url,
      config: { api: 'method' },
      handler: async (request, reply) => {
        const response = await callMethod(services, nameInPath(request.params.method), contextOf(request))
        return sendMethodResponse(request, reply, response, services)
      },
    })
  }
  done()
}
