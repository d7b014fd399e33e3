import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { testCertificate } from '#server/platform/network/test-certificate.ts'

/** The name in `testCertificate`. */
export const providerHost = 'hooks.test'

/** A person at the provider. The subject is the key of `people`. */
export interface ProviderPerson {
  email: string
  email_verified: boolean
}

/** An OpenID Connect provider of an organization, on loopback. */
export interface RunningProvider {
  readonly issuer: string
  readonly port: number
  readonly clientId: string
  readonly clientSecret: string
  /** By subject; whoever types a subject on its page is that person. */
  readonly people: Map<string, ProviderPerson>
  /** For the product: where the provider's name really leads, and whose certificates count. */
  readonly network: { readonly addressMap: Readonly<Record<string, string>>; readonly ca: string }
  close(): Promise<void>
}

const page = (uid: string, clientId: string) => `<!doctype html><html lang="en"><title>Provider</title>
<main><h1>Example provider</h1><form method="post" action="/interaction/${uid}">
<label>Account <input name="subject" autofocus></label> <input type="hidden" name="client" value="${clientId}">
<button name="answer" value="yes">Continue</button> <button name="answer" value="no">Cancel</button></form></main></html>`

/** Starts `oidc-provider` with one confidential client, and a page on which people say who they are. */
export async function startOpenidProvider(
  redirectUri: string,
  { port: wanted = 0, issuer: given }: { port?: number; issuer?: string } = {},
): Promise<RunningProvider> {
  // Loaded late: its own warnings about where it runs are of no use here.
  const { default: Provider } = await import('oidc-provider')
  const [clientId, clientSecret] = ['easydash-client', 'a-secret-of-the-client']
  const people = new Map<string, ProviderPerson>()
  const server = createServer(testCertificate)
  server.listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const issuer = given ?? `https://${providerHost}`
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    cookies: { keys: ['for tests only'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, subject: string) => {
      const person = people.get(subject)
      return person && { accountId: subject, claims: () => ({ sub: subject, ...person }) }
    },
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { uid } = await provider.interactionDetails(request, response)
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(page(uid, clientId))
      return
    }
    const typed = new URLSearchParams(await text(request))
    const accountId = typed.get('subject') ?? ''
    if (typed.get('answer') === 'no' || !people.has(accountId))
      return provider.interactionFinished(request, response, { error: 'access_denied' })
    const grant = new provider.Grant({ clientId, accountId })
    grant.addOIDCScope('openid email')
    const result = { login: { accountId }, consent: { grantId: await grant.save() } }
    return provider.interactionFinished(request, response, result)
  }
  const handle = provider.callback()
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) return handle(request, response)
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  return {
    ...{ issuer, port, clientId, clientSecret, people },
    network: { addressMap: { [`${new URL(issuer).host}:443`]: `127.0.0.1:${port}` }, ca: testCertificate.cert },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** What a browser does at the provider: opens the address, says who it is, and returns the query it is sent back with. */
export async function logInAtProvider(
  { port, clientId }: Pick<RunningProvider, 'port' | 'clientId'>,
  url: string,
  redirectUri: string,
  subject: string | null,
): Promise<string> {
  const cookies = new Map<string, string>()
  let next: { url: URL; body: string | null } = { url: new URL(url), body: null }
  for (let step = 0; step < 10; step++) {
    if (next.url.href.startsWith(redirectUri)) return next.url.search.slice(1)
    const { headers } = await visit(port, next, cookies)
    for (const line of headers['set-cookie'] ?? []) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
      cookies.set(name, value)
    }
    const form = { subject: subject ?? '', client: clientId, answer: subject === null ? 'no' : 'yes' }
    next =
      headers.location === undefined
        ? { url: next.url, body: new URLSearchParams(form).toString() }
        : { url: new URL(headers.location, next.url), body: null }
  }
  throw new Error(`The provider does not come to an end: ${next.url.href}`)
}

async function visit(
  port: number,
  { url, body }: { url: URL; body: string | null },
  cookies: ReadonlyMap<string, string>,
): Promise<IncomingMessage> {
  const request = httpsRequest({
    ...{ host: '127.0.0.1', port, servername: providerHost, ca: testCertificate.cert, path: url.pathname + url.search },
    method: body === null ? 'GET' : 'POST',
    headers: {
      host: url.host,
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(body === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
  })
  request.end(body ?? '')
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  await text(response)
  return response
}
