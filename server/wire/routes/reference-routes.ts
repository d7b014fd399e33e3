import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyPluginCallback } from 'fastify'
import { doctypes } from '#shared/doctypes/registry.ts'
import { skipCompression } from '../response/compression.ts'
import { contextOf } from '../request/request-context.ts'
import { pagePolicy } from '../response/headers.ts'
import { createOpenApi, type Reference } from '../openapi/document.ts'
import { createDocsPage } from '../openapi/page.ts'
import type { WireServices } from '../options.ts'
import { readingVerbs, withSlash } from './routing.ts'

/**
 * The API reference, generated from the descriptions the server itself uses: `/api/openapi.json` and `/api/docs`. Both are
 * public: they describe the API and contain no data.
 */
export const referenceRoutes: FastifyPluginCallback<{ services: WireServices }> = (app, { services }, done) => {
  const { config, version, registry } = services
  const reference: Reference = { registry, doctypes, productName: config.productName, version, url: config.url }
  // Generated on the first request: most runs have none, and it is a megabyte of text.
  let generated: Generated | null = null
  const docs = () => (generated ??= generate(reference))

  for (const url of withSlash('/api/openapi.json')) {
    app.route({
      method: readingVerbs,
      url,
      config: { isPublic: true },
      handler: (request, reply) => {
        const { document, compressed, etag } = docs()
        reply.header('etag', etag).header('cache-control', 'no-cache').header('vary', 'accept-encoding')
        if (request.headers['if-none-match'] === etag) return reply.code(304).send()
        reply.header('content-type', 'application/json; charset=utf-8')
        // It is large, identical for everybody and public, so it is compressed once instead of per request.
        skipCompression(request)
        if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(document)
        return reply.header('content-encoding', 'gzip').send(compressed)
      },
    })
  }
  for (const url of withSlash('/api/docs')) {
    app.route({
      method: readingVerbs,
      url,
      config: { isPublic: true },
      handler: (request, reply) => {
        const { nonce } = contextOf(request)
        return reply
          .header('content-type', 'text/html; charset=utf-8')
          .header('cache-control', 'no-cache')
          .header('content-security-policy', pagePolicy(config, nonce))
          .send(docs().page(nonce))
      },
    })
  }
  done()
}

interface Generated {
  document: string
  compressed: Buffer
  etag: string
  page: (nonce: string) => string
}

function generate(reference: Reference): Generated {
  const document = JSON.stringify(createOpenApi(reference))
  return {
    document,
    compressed: gzipSync(document),
    // A weak ETag, because the compressed form shares it.
    etag: `W/"${createHash('sha256').update(document).digest('base64url').slice(0, 22)}"`,
    page: createDocsPage(reference),
  }
}
