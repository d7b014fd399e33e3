import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Visitor } from '#tests/support/accounts.ts'
import { startHostileProvider, type HostileProvider } from '#tests/support/hostile-provider.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'

let provider: HostileProvider
let network: { timeoutMs: number }
let s: OrganizationFixture
let ann: Visitor
let key: string

const act = async <T = unknown>(action: string, args: Record<string, unknown> = {}): Promise<T> => {
  const session = await ann.session()
  if (!session) throw new Error('logged out')
  return (await s.documents.runAction(session, 'Organization', 'acme', action, args)) as T
}
const settings = { issuer: 'https://hooks.test', client_id: 'client', client_secret: 'a secret' }
const begin = async (visitor: Visitor) =>
  visitor.call<{ url: string; attempt: string }>('login_provider.start', { key })
const logIn = async (more: Record<string, string> = {}): Promise<Visitor> => {
  const visitor = s.visitor()
  const { url, attempt } = await begin(visitor)
  await visitor.call('login_provider.finish', { query: provider.login(url, more), attempt })
  return visitor
}

beforeEach(async () => {
  provider = await startHostileProvider()
  // Long, so that a busy machine fails no test; the one about time has a short one.
  network = { ...provider.network, timeoutMs: 60_000 }
  s = await createOrganizationFixture({ providerNetwork: network })
  ann = await s.owner('ann@example.com', 'acme')
  await s.member('acme', 'bo@example.com', 'Organization User')
  const { address } = await act<{ address: string }>('set_login_provider', { ...settings, domains: 'example.com' })
  key = address.split('/').at(-1) ?? ''
})
afterEach(async () => {
  await s.close()
  await provider.close()
})

/** Nobody got in: no session that a provider started, and no link. */
async function nobodyIsIn(): Promise<void> {
  const { rows } = await s.database.pool.query(`select 1 from easydash_session where provider_link is not null
    union all select 1 from easydash_provider_link`)
  expect(rows).toEqual([])
}

test('a provider that behaves lets a member in, with the code, the verifier and the client of this login', async () => {
  const bo = await logIn()
  expect(await bo.session()).toMatchObject({ user: 'bo@example.com', loginProvider: 'acme' })
  const exchange = new URLSearchParams(provider.requests.find((one) => one.startsWith('POST /token'))?.split(' ')[2])
  expect(Object.fromEntries(exchange)).toMatchObject({
    grant_type: 'authorization_code',
    code: 'a-code',
    redirect_uri: 'http://dash.test/web/sso/callback',
  })
  expect(exchange.get('code_verifier')).toMatch(/^[\w-]{43}$/)
  expect(exchange.has('client_secret')).toBe(false)
})

describe('an ID token lets nobody in', () => {
  const past = Math.floor(Date.now() / 1000) - 3600
  test.each([
    ['of another issuer', () => (provider.claims = { iss: 'https://other.test' })],
    ['for another client', () => (provider.claims = { aud: 'another' })],
    [
      'for several clients, of which another is the authorized party',
      () => (provider.claims = { aud: ['client', 'x'], azp: 'x' }),
    ],
    ['with the nonce of another login', () => (provider.claims = { nonce: 'another' })],
    ['without a nonce', () => (provider.claims = { nonce: undefined })],
    ['that has expired', () => (provider.claims = { iat: past - 300, exp: past })],
    ['without an expiry', () => (provider.claims = { exp: undefined })],
    ['without a subject', () => (provider.claims = { sub: undefined })],
    ['with an endless subject', () => (provider.claims = { sub: 'x'.repeat(300) })],
    ['with a subject that the database refuses', () => (provider.claims = { sub: 'a\0b' })],
    ['with a subject that the database keeps as another one', () => (provider.claims = { sub: 'a\ud800' })],
    ['without a signature', () => (provider.header = { alg: 'none' })],
    ['that claims to be signed with the client secret', () => (provider.header = { alg: 'HS256' })],
    [
      'signed with a key that is not published',
      () => (provider.signWith = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
    ],
    [
      'whose header brings its own key',
      () => {
        const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
        provider.signWith = privateKey
        provider.header = { jwk: createPublicKey(privateKey).export({ format: 'jwk' }), kid: '2' }
      },
    ],
  ])('%s', async (_what, spoil) => {
    spoil()
    await expect(logIn()).rejects.toMatchObject({ code: 'invalid', nextAction: expect.anything() as unknown })
    await nobodyIsIn()
  })
})

describe('an answer lets nobody in', () => {
  const at = (path: string, status: number, body: string, type = 'application/json') =>
    provider.answers.set(
      path,
      (_request, response) => void response.writeHead(status, { 'content-type': type }).end(body),
    )
  test.each([
    ['tokens without an ID token', () => at('/token', 200, '{"access_token":"x","token_type":"Bearer"}')],
    ['tokens that are no JSON', () => at('/token', 200, '<html>', 'text/html')],
    ['a redirect instead of tokens', () => at('/token', 302, '')],
    ['deeply nested JSON', () => at('/token', 200, '['.repeat(50_000))],
    ['keys that are none', () => at('/keys', 200, '{"keys":[{"kty":"RSA","n":"AA","e":"AQAB","kid":"1"}]}')],
    ['no keys', () => at('/keys', 404, '{}')],
    ['a defect', () => at('/token', 500, '{"error":"server_error"}')],
  ])('%s', async (_what, spoil) => {
    spoil()
    await expect(logIn()).rejects.toMatchObject({ code: 'invalid' })
    await nobodyIsIn()
  })

  test('one without end is cut off, by size and by time', async () => {
    provider.answers.set('/token', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const fill = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', fill)
      }
      fill()
    })
    await expect(logIn()).rejects.toMatchObject({ code: 'invalid', message: 'The provider’s answer is far too long.' })
    network.timeoutMs = 500
    provider.answers.set('/token', (_request, response) => void response.writeHead(200).write('{'))
    await expect(logIn()).rejects.toMatchObject({ code: 'unavailable' })
    provider.answers.set('/.well-known/openid-configuration', () => undefined)
    await expect(logIn()).rejects.toMatchObject({ code: 'unavailable' })
    await nobodyIsIn()
  })

  test('another issuer in the redirect, an error, or two states', async () => {
    provider.metadata = { authorization_response_iss_parameter_supported: true }
    await expect(logIn()).rejects.toMatchObject({ code: 'invalid' })
    await expect(logIn({ iss: 'https://other.test' })).rejects.toMatchObject({ code: 'invalid' })
    await expect(logIn({ iss: provider.issuer, error: 'access_denied' })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(logIn({ iss: provider.issuer, error: '<script>' })).rejects.toMatchObject({
      code: 'invalid',
      message: 'The provider refused the login.',
    })
    const visitor = s.visitor()
    const { url, attempt } = await begin(visitor)
    const query = `${provider.login(url, { iss: provider.issuer })}&state=another`
    await expect(visitor.call('login_provider.finish', { query, attempt })).rejects.toMatchObject({ code: 'invalid' })
    await nobodyIsIn()
  })
})

describe('a description is refused', () => {
  test.each([
    ['of another issuer', { issuer: 'https://other.test' }],
    ['of an issuer that is another path', { issuer: 'https://hooks.test/other' }],
    ['that sends browsers to a script', { authorization_endpoint: 'javascript:alert(1)' }],
    ['that sends browsers to plain HTTP', { authorization_endpoint: 'http://hooks.test/authorize' }],
    ['with a token endpoint without TLS', { token_endpoint: 'http://hooks.test/token' }],
    ['without keys', { jwks_uri: undefined }],
    ['with unsigned tokens only', { id_token_signing_alg_values_supported: ['none', 'HS256'] }],
    ['that accepts no secret', { token_endpoint_auth_methods_supported: ['private_key_jwt'] }],
    ['with an endless address', { authorization_endpoint: `https://hooks.test/${'a'.repeat(3000)}` }],
  ])('%s', async (_what, metadata) => {
    provider.metadata = metadata
    await expect(logIn()).rejects.toMatchObject({ code: 'invalid' })
    await expect(act('test_login_provider', settings)).rejects.toMatchObject({ code: 'invalid' })
  })
})

test('addresses inside of the network are reached neither directly nor through the description', async () => {
  for (const issuer of [
    'https://127.0.0.1',
    'https://localhost',
    'https://[::1]',
    'https://10.0.0.1',
    'http://hooks.test',
    'https://a:b@hooks.test',
    'https://hooks.test/?a=1',
    'nonsense',
  ])
    await expect(act('set_login_provider', { ...settings, issuer, domains: 'example.com' })).rejects.toMatchObject({
      code: 'invalid',
      field: 'issuer',
    })
  provider.metadata = { token_endpoint: 'https://169.254.169.254/token' }
  await expect(logIn()).rejects.toMatchObject({ code: 'invalid' })
  provider.metadata = { jwks_uri: 'https://127.0.0.1:5432/' }
  await expect(logIn()).rejects.toMatchObject({ code: 'invalid' })
  await nobodyIsIn()
})

test('the stored secret goes to no other issuer, and only owners set or test the provider', async () => {
  const { client_secret: _secret, ...without } = settings
  const elsewhere = { ...without, issuer: 'https://other.example' }
  for (const action of ['set_login_provider', 'test_login_provider'])
    await expect(act(action, { ...elsewhere, domains: 'example.com' })).rejects.toMatchObject({
      code: 'invalid',
      field: 'client_secret',
    })
  const admin = await s.member('acme', 'cy@example.com', 'Organization Admin')
  const session = await admin.session()
  if (!session) throw new Error('logged out')
  for (const action of ['set_login_provider', 'test_login_provider', 'renew_login_address'])
    await expect(
      s.documents.runAction(session, 'Organization', 'acme', action, { ...settings, domains: 'example.com' }),
    ).rejects.toMatchObject({ code: 'forbidden' })
})
