import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { freshCookies } from './method-routes.ts'
import type { CallSetting } from '../methods/call-method.ts'
import { setCookies } from '../request/cookies.ts'
import { exchangeOf } from '../request/request-context.ts'
import { closedPolicy, noStore, pagePolicy } from '../response/headers.ts'
import { helpPage } from '../pages/help-page.ts'
import type { WireOptions } from '../options.ts'
import { fillShell } from '../pages/shell.ts'

/** Endings of files of the web app: an address with one of them is a file or nothing, never the app's page. */
const fileEnding =
  /\.(?:js|mjs|css|map|json|txt|xml|html|svg|png|jpe?g|webp|avif|gif|ico|woff2?|ttf|webmanifest|wasm)$/i

/** Who fills in the app's page: the built one, or Vite's in development. */
export interface ShellSource {
  template(path: string): Promise<string>
}

/** Serves the built files with their compressed copies. Names below `assets/` hold a hash of their content. */
export function serveFiles(app: FastifyInstance, dir: string): void {
  app.register(fastifyStatic, {
    root: dir,
    serve: false,
    preCompressed: true,
    index: false,
    dotfiles: 'deny',
    cacheControl: false,
    etag: true,
    lastModified: true,
  })
}

/** Whether a path is a file of the web app rather than one of its pages. */
export function isFilePath(path: string): boolean {
  return path.startsWith('/web/assets/') || fileEnding.test(path)
}

/** Sends a file of the web app, or a plain 404: a missing file is never answered with a page. */
export function sendFile(reply: FastifyReply, path: string): FastifyReply {
  const file = path.slice('/web/'.length)
  if (/(?:^|\/)\.|\\|%|\/$|\.html$/.test(file)) return notFoundText(reply)
  const immutable = file.startsWith('assets/')
  return reply
    .removeHeader('content-security-policy')
    .header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'public, max-age=3600')
    .sendFile(file)
}

/** The app's page for the caller's session: every path below `/web` gets the same one. */
export async function sendShell(
  request: FastifyRequest,
  reply: FastifyReply,
  source: ShellSource,
  options: WireOptions,
  setting: Pick<CallSetting, 'cookies'>,
): Promise<FastifyReply> {
  const exchange = exchangeOf(request)
  const [template, boot, cookies] = await Promise.all([
    source.template(exchange.path),
    options.pages.boot(exchange.session),
    freshCookies(request, setting),
  ])
  setCookies(reply, cookies)
  const policy = options.pages.devRoot ? "frame-ancestors 'none'" : pagePolicy(options.config, exchange.nonce)
  const csrfToken = exchange.cookie?.csrfToken ?? ''
  const html = fillShell(template, { nonce: exchange.nonce, csrfToken, boot })
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', policy)
    .send(html)
}

/** The page behind the help link, until an operator points it elsewhere. */
export function sendHelp(request: FastifyRequest, reply: FastifyReply, options: WireOptions): FastifyReply {
  const { nonce } = exchangeOf(request)
  const html = helpPage({ productName: options.config.productName, nonce })
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', pagePolicy(options.config, nonce))
    .send(html)
}

/** Nothing on this host is for search engines. */
export function sendRobots(reply: FastifyReply): FastifyReply {
  return reply.header('content-type', 'text/plain; charset=utf-8').send('User-agent: *\nDisallow: /\n')
}

/** A plain 404. */
export function notFoundText(reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .header('content-type', 'text/plain; charset=utf-8')
    .header('cache-control', noStore)
    .header('content-security-policy', closedPolicy)
    .send('Not found\n')
}
