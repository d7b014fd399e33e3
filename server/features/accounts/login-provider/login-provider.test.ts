import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Visitor } from '#tests/support/accounts.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import { logInAtProvider, startOpenidProvider, type RunningProvider } from '#tests/support/openid-provider.ts'

const redirectUri = 'http://dash.test/web/sso/callback'

let provider: RunningProvider
let s: OrganizationFixture
let ann: Visitor
let key: string

const act = async <T>(action: string, args: Record<string, unknown> = {}): Promise<T> => {
  const session = await ann.session()
  if (!session) throw new Error('logged out')
  return (await s.documents.runAction(session, 'Organization', 'acme', action, args)) as T
}
const logIn = async (subject: string): Promise<Visitor> => {
  const visitor = s.visitor()
  const { url, attempt } = await visitor.call<{ url: string; attempt: string }>('login_provider.start', { key })
  const query = await logInAtProvider(provider, url, redirectUri, subject)
  await visitor.call('login_provider.finish', { query, attempt })
  return visitor
}

beforeAll(async () => {
  provider = await startOpenidProvider(redirectUri)
})
afterAll(() => provider.close())
beforeEach(async () => {
  s = await createOrganizationFixture({ providerNetwork: provider.network })
  ann = await s.owner('ann@example.com', 'acme')
  const { address } = await act<{ address: string }>('set_login_provider', {
    issuer: provider.issuer,
    client_id: provider.clientId,
    client_secret: provider.clientSecret,
    domains: 'example.com',
  })
  key = address.slice('http://dash.test/web/sso/'.length)
})
afterEach(() => s.close())

test('the provider logs a member in by the verified address, then by the subject alone', async () => {
  await s.member('acme', 'bo@example.com', 'Organization Manager')
  provider.people.set('bo-1', { email: 'Bo@example.com', email_verified: true })
  const bo = await logIn('bo-1')
  expect(await bo.session()).toMatchObject({
    user: 'bo@example.com',
    organization: 'acme',
    loginProvider: 'acme',
    reauthAt: null,
  })
  provider.people.set('bo-1', { email: 'somebody@else.example', email_verified: false })
  expect(await (await logIn('bo-1')).session()).toMatchObject({ user: 'bo@example.com' })
  expect(await act('list_login_links')).toMatchObject([{ user: 'bo@example.com' }])
})
