import fastifyStatic from '@fastify/static'
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import type { WireServices } from '../options.ts'
import { documentationPage } from '../pages/documentation.ts'
import { helpPage } from '../pages/help-page.ts'
import { renderShell, iconOf } from '../pages/shell.ts'
import { setCookies } from '../request/cookies.ts'
import { contextOf } from '../request/request-context.ts'
import { denyAllPolicy, noStore, pagePolicy } from '../response/headers.ts'
import { defaultCookies } from '../response/default-cookies.ts'
import { readingVerbs } from './routing.ts'

/** File extensions of the web app: a path with one of them is a file or a 404, never the app's page. */
const fileEnding =
  /\.(?:js|mjs|css|map|json|txt|xml|html|svg|png|jpe?g|webp|avif|gif|ico|woff2?|ttf|webmanifest|wasm)$/i

/** The web app: its files, its page at all other paths below `/web`, and files that browsers and crawlers request. */
export const pageRoutes: FastifyPluginCallback<{ services: WireServices }> = (app, { services }, done) => {
  const isPublic = { isPublic: true }
  app.register(fastifyStatic, {
    root: services.pages.dir,
    serve: false,
    preCompressed: true,
    index: false,
    dotfiles: 'deny',
    cacheControl: false,
    etag: true,
    lastModified: true,
  })

  app.route({
    method: readingVerbs,
    url: '/',
    handler: (request, reply) => redirectToOwnHost(request, reply, '/web', services) ?? redirect(reply, '/web'),
  })
  for (const url of ['/web', '/web/*']) {
    app.route<{ Params: { '*'?: string } }>({
      method: readingVerbs,
      url,
      config: { isPublic: isFilePath },
      handler: (request, reply) => {
        const { path } = contextOf(request)
        if (isFilePath(path)) return sendFile(reply, path.slice('/web/'.length))
        return redirectToOwnHost(request, reply, path, services) ?? sendShell(request, reply, services)
      },
    })
  }

  // Nothing on this host should be indexed by search engines.
  app.route({
    method: readingVerbs,
    url: '/robots.txt',
    config: isPublic,
    handler: (_request, reply) =>
      reply.header('content-type', 'text/plain; charset=utf-8').send('User-agent: *\nDisallow: /\n'),
  })
  app.route({
    method: readingVerbs,
    url: '/llms.txt',
    config: isPublic,
    handler: (_request, reply) => sendNotFoundText(reply),
  })

  // Browsers request this name on their own; the page links the real icon.
  app.route({
    method: readingVerbs,
    url: '/favicon.ico',
    config: isPublic,
    handler: async (_request, reply) => {
      const icon = iconOf(await services.shell.template('/web'))
      return icon === null ? sendNotFoundText(reply) : reply.redirect(icon, 302)
    },
  })

  // The default help page, and the documentation that it links; operators can set another help link.
  const sendPage = (request: FastifyRequest, reply: FastifyReply, page: string) =>
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-security-policy', pagePolicy(services.config, contextOf(request).nonce))
      .send(page)
  const valuesOf = (request: FastifyRequest) => ({
    productName: services.config.productName,
    nonce: contextOf(request).nonce,
  })
  app.route({
    method: readingVerbs,
    url: '/helpdesk',
    config: isPublic,
    handler: (request, reply) => sendPage(request, reply, helpPage(valuesOf(request))),
  })
  app.route<{ Params: { name: string } }>({
    method: readingVerbs,
    url: '/helpdesk/:name',
    config: isPublic,
    handler: async (request, reply) => {
      const page = await documentationPage(request.params.name, valuesOf(request))
      return page === null ? sendNotFoundText(reply) : sendPage(request, reply, page)
    },
  })
  done()
}

/** Whether a path is a file of the web app rather than one of its pages. */
export function isFilePath(path: string): boolean {
  return path.startsWith('/web/') && (path.startsWith('/web/assets/') || fileEnding.test(path))
}

/**
 * Sends a file of the web app, precompressed if possible, or a plain 404, never a page. Names below `assets/` contain a hash
 * of their content.
 */
function sendFile(reply: FastifyReply, file: string): FastifyReply {
  if (/(?:^|\/)\.|\\|%|\/$|\.html$/.test(file)) return sendNotFoundText(reply)
  const isImmutable = file.startsWith('assets/')
  return reply
    .removeHeader('content-security-policy')
    .header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'public, max-age=3600')
    .sendFile(file)
}

/** Redirects page requests on another host to the public URL; null on our own. */
function redirectToOwnHost(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  { config }: WireServices,
): FastifyReply | null {
  const { client, query } = contextOf(request)
  if (isSameHost(client.host, config.url)) return null
  return redirect(reply, `${config.url}${path}${query === '' ? '' : `?${query}`}`)
}

function redirect(reply: FastifyReply, target: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(target, 302)
}

/** Whether a `Host` matches the public URL, with or without the scheme's default port. */
function isSameHost(host: string, url: string): boolean {
  const own = new URL(url)
  const port = own.protocol === 'https:' ? ':443' : ':80'
  return host === own.host || host === `${own.host}${own.port === '' ? port : ''}`
}

/** Pages that can ask for a payment card. */
const isBillingPage = (path: string) => /^\/web\/billing(?:\/|$)/.test(path)

/**
 * The app's page for the caller's session, the same for every path below `/web`, except that only those about billing may
 * load the payment provider's script (`payment_script`).
 */
async function sendShell(request: FastifyRequest, reply: FastifyReply, services: WireServices): Promise<FastifyReply> {
  const { path, session, cookie, nonce } = contextOf(request)
  const { pages, config, shell } = services
  const origins = isBillingPage(path) ? (pages.paymentOrigins ?? null) : null
  const [template, preload, boot, cookies] = await Promise.all([
    shell.template(path),
    session.kind === 'guest' ? [] : shell.signedInScripts(path),
    pages.boot(session),
    defaultCookies(request, services),
  ])
  setCookies(reply, cookies)
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', pages.devRoot ? "frame-ancestors 'none'" : pagePolicy(config, nonce, origins))
    .send(
      renderShell(template, {
        nonce,
        csrfToken: cookie?.csrfToken ?? '',
        boot: { ...boot, payment_script: origins !== null },
        preload,
      }),
    )
}

/** A plain 404. */
export function sendNotFoundText(reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .header('content-type', 'text/plain; charset=utf-8')
    .header('cache-control', noStore)
    .header('content-security-policy', denyAllPolicy)
    .send('Not found\n')
}
