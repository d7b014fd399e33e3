import type { FastifyPluginCallback } from 'fastify'
import type { FileStore } from '#server/contracts/files.ts'
import { sendDownload } from '../files/send-download.ts'
import type { WireServices } from '../options.ts'
import { contextOf } from '../request/request-context.ts'
import { readingVerbs } from './routing.ts'

/** Routes for uploaded files. They are outside of the API but accept API tokens. */
export const fileRoutes: FastifyPluginCallback<{ services: WireServices; files: FileStore }> = (
  app,
  { services, files },
  done,
) => {
  for (const url of ['/files/*', '/private/files/*']) {
    app.route({
      method: readingVerbs,
      url,
      config: { takesTokens: true },
      handler: async (request, reply) => {
        const { session, path } = contextOf(request)
        return sendDownload(request, reply, await files.open(session, path), services)
      },
    })
  }
  done()
}
