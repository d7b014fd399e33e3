import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { goodPassword, type Visitor } from '#tests/support/accounts.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import { logInAtProvider, startOpenidProvider, type RunningProvider } from '#tests/support/openid-provider.ts'

const redirectUri = 'http://dash.test/web/sso/callback'

let provider: RunningProvider
let s: OrganizationFixture
let ann: Visitor
let key: string

const act = async <T = unknown>(visitor: Visitor, action: string, args: Record<string, unknown> = {}): Promise<T> => {
  const session = await visitor.session()
  if (!session) throw new Error('logged out')
  return (await s.documents.runAction(session, 'Organization', 'acme', action, args)) as T
}
const typed = (more: Record<string, unknown> = {}) => ({
  issuer: provider.issuer,
  client_id: provider.clientId,
  client_secret: provider.clientSecret,
  domains: 'example.com',
  ...more,
})
const logIn = async (subject: string | null, visitor = s.visitor()): Promise<Visitor> => {
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
  const { address } = await act<{ address: string }>(ann, 'set_login_provider', typed())
  key = address.slice('http://dash.test/web/sso/'.length)
  provider.people.clear()
  provider.people.set('bo-1', { email: 'Bo@example.com', email_verified: true })
})
afterEach(() => s.close())

describe('logging in through the provider', () => {
  test('links a member by the verified address, then by the subject alone', async () => {
    await s.member('acme', 'bo@example.com', 'Organization Manager')
    const bo = await logIn('bo-1')
    expect(await bo.session()).toMatchObject({
      user: 'bo@example.com',
      organization: 'acme',
      loginProvider: 'acme',
      reauthAt: null,
    })
    provider.people.set('bo-1', { email: 'somebody@else.example', email_verified: false })
    expect(await (await logIn('bo-1')).session()).toMatchObject({ user: 'bo@example.com' })
    expect(await act(ann, 'list_login_links')).toMatchObject([{ user: 'bo@example.com' }])
    await bo.call('confirm_password', { password: goodPassword })
  })
})
