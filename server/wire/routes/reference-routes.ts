import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { doctypes } from '#shared/doctypes/registry.ts'
import { leavePlain } from '../response/compression.ts'
import { exchangeOf, hasCommand } from '../request/request-context.ts'
import { pagePolicy } from '../response/headers.ts'
import { createOpenApi, type Reference } from '../openapi/document.ts'
import { createDocsPage } from '../openapi/page.ts'
import type { WireOptions } from '../options.ts'
import type { Registry } from '../methods/method-registry.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'

/** Answers the reference documentation; null for every other request. */
export type ApiDocs = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null

/**
 * Generates the API's reference documentation from what the server answers with: `/api/openapi.json` and `/api/docs`.
 * Both are public: they say what there is, never who has what.
 */
export function createApiDocs(options: Pick<WireOptions, 'config' | 'version'>, registry: Registry): ApiDocs {
  const { config } = options
  const reference: Reference = {
    registry,
    doctypes,
    productName: config.productName,
    version: options.version,
    url: config.url,
  }
  // Made for the first reader: most starts have none, and it is a megabyte of text.
  let made: Made | null = null
  const docs = () => (made ??= makeDocs(reference))

  const sendDocument = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { document, compressed, etag } = docs()
    reply.header('etag', etag).header('cache-control', 'no-cache').header('vary', 'accept-encoding')
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    reply.header('content-type', 'application/json; charset=utf-8')
    // It is large, the same for everybody and needs no account: nobody has it compressed once more.
    leavePlain(request)
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(document)
    return reply.header('content-encoding', 'gzip').send(compressed)
  }

  const sendPage = (nonce: string, reply: FastifyReply): FastifyReply =>
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .header('content-security-policy', pagePolicy(config, nonce))
      .send(docs().page(nonce))

  return (request, reply) => {
    const exchange = exchangeOf(request)
    const { path, nonce } = exchange
    const reading = request.method === 'GET' || request.method === 'HEAD'
    // The parameter `cmd` makes a call of any request.
    if (!reading || hasCommand(exchange)) return null
    switch (trimEnd(path, '/')) {
      case '/api/openapi.json':
        return sendDocument(request, reply)
      case '/api/docs':
        return sendPage(nonce, reply)
      default:
        return null
    }
  }
}

interface Made {
  document: string
  compressed: Buffer
  etag: string
  page: (nonce: string) => string
}

function makeDocs(reference: Reference): Made {
  const document = JSON.stringify(createOpenApi(reference))
  return {
    document,
    compressed: gzipSync(document),
    // Weak: the same for the compressed form.
    etag: `W/"${createHash('sha256').update(document).digest('base64url').slice(0, 22)}"`,
    page: createDocsPage(reference),
  }
}
