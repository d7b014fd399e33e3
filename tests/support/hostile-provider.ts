import { generateKeyPairSync, sign, type JsonWebKey, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { testCertificate } from '#server/platform/network/test-certificate.ts'
import { providerHost } from './openid-provider.ts'

type Json = Readonly<Record<string, unknown>>
type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A provider that says what a test wants; by default it behaves. */
export interface HostileProvider {
  readonly issuer: string
  readonly network: { readonly addressMap: Readonly<Record<string, string>>; readonly ca: string }
  /** Requests it got: method, path and body. */
  readonly requests: string[]
  /** Added to its description of itself. */
  metadata: Json
  /** Added to its ID token; the nonce is that of the last login that began. */
  claims: Json
  /** Added to the header of its ID token. */
  header: Json
  /** Signs its ID tokens. Default: the key that it publishes. */
  signWith: KeyObject | null
  /** Answers a path instead. */
  readonly answers: Map<string, Answer>
  /** The query that it sends the browser of an authorization address back with. */
  login(url: string, more?: Readonly<Record<string, string>>): string
  close(): Promise<void>
}

const base64 = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Starts it on loopback, with the certificate for `hooks.test`. */
export async function startHostileProvider(): Promise<HostileProvider> {
  const issuer = `https://${providerHost}`
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk: JsonWebKey = publicKey.export({ format: 'jwk' })
  let nonce = ''
  const token = () => {
    const seconds = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: 'client', sub: 'bo-1', iat: seconds, exp: seconds + 300, nonce }
    const email = { email: 'bo@example.com', email_verified: true }
    const header = { alg: 'RS256', kid: '1', typ: 'JWT', ...provider.header }
    const signed = `${base64(header)}.${base64({ ...claims, ...email, ...provider.claims })}`
    const signature =
      header.alg === 'none'
        ? ''
        : sign('sha256', Buffer.from(signed), provider.signWith ?? privateKey).toString('base64url')
    return `${signed}.${signature}`
  }
  const json =
    (body: () => Json): Answer =>
    (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body()))
  const usual = new Map<string, Answer>([
    [
      '/.well-known/openid-configuration',
      json(() => ({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/me`,
        id_token_signing_alg_values_supported: ['RS256', 'none', 'HS256'],
        ...provider.metadata,
      })),
    ],
    ['/token', json(() => ({ access_token: 'access', token_type: 'Bearer', id_token: token() }))],
    ['/keys', json(() => ({ keys: [{ ...jwk, kid: '1', use: 'sig', alg: 'RS256' }] }))],
  ])
  const server = createServer(testCertificate, (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    void text(request).then((body) => {
      provider.requests.push(`${request.method} ${path} ${body}`)
      const answer = provider.answers.get(path) ?? usual.get(path)
      if (answer) answer(request, response)
      else response.writeHead(404).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const provider: HostileProvider = {
    issuer,
    network: { addressMap: { [`${providerHost}:443`]: `127.0.0.1:${port}` }, ca: testCertificate.cert },
    requests: [],
    metadata: {},
    claims: {},
    header: {},
    signWith: null,
    answers: new Map(),
    login(url, more = {}) {
      const { searchParams } = new URL(url)
      nonce = searchParams.get('nonce') ?? ''
      return new URLSearchParams({ code: 'a-code', state: searchParams.get('state') ?? '', ...more }).toString()
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return provider
}
