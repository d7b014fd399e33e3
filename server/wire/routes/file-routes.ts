import type { FastifyPluginCallback } from 'fastify'
import type { FileStore } from '#server/contracts/files.ts'
import { sendDownload } from '../files/send-download.ts'
import type { WireServices } from '../options.ts'
import { callMethod } from '../methods/call-method.ts'
import { contextOf } from '../request/request-context.ts'
import { sendMethodResponse } from '../response/send-response.ts'
import { readingVerbs } from './routing.ts'

const invoiceMethod = 'easydash.api.billing.invoice_pdf'

/** Routes for uploaded files, and for invoices. Those of uploaded files are outside of the API but accept API tokens. */
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
  // The address of a document of its own; the feature's method decides who gets it.
  app.route<{ Params: { file: string } }>({
    method: readingVerbs,
    url: '/private/invoices/:file',
    handler: async (request, reply) => {
      const context = contextOf(request)
      const name = request.params.file.replace(/\.pdf$/, '')
      const call = { ...context, params: { name } }
      return sendMethodResponse(request, reply, await callMethod(services, invoiceMethod, call), services)
    },
  })
  done()
}
