/** Data about people needs the scope `members:read`: checked by calling everything, not by a list. */
import { actionResponse } from '#shared/responses/actions.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { jsonSchemaOf, type ResponseSchema } from '#shared/schema.ts'
import { returnsPeople } from '#shared/people.ts'
import { tokenScopes } from '#shared/rules/token-scopes.ts'
import { personOf } from '#tests/permissions/cases.ts'
import { actionDeclarations } from '#tests/permissions/declarations.ts'
import { profileOf, type Person } from '#tests/permissions/people.ts'
import type { SuiteProduct } from '#tests/permissions/product.ts'
import { subjectPlans } from '#tests/permissions/subjects.ts'
import { openSuiteContext, type SuiteContext } from '#tests/permissions/suite-context.ts'
import { call, type ParsedResponse, type TestContext } from '#tests/permissions/test-context.ts'

let suite: SuiteContext
let product: SuiteProduct
let context: TestContext
beforeAll(async () => {
  suite = await openSuiteContext()
  ;({ product, context } = suite)
})
afterAll(() => suite?.close())

/** Email addresses in a response other than the caller's, as complete values. */
function addressesIn(value: unknown, caller: string): string[] {
  if (typeof value === 'string') return /^[^\s@]+@[^\s@]+\.[a-z]+$/.test(value) && value !== caller ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((inner) => addressesIn(inner, caller))
}

const owner = profileOf('owner').email
const member = profileOf('member').email
/** Arguments for actions on people. */
const args = { user: member, new_owner: member, read: 1 }

const run = (person: Person, doctype: string, name: string, method: string): Promise<ParsedResponse> =>
  call(context, person, 'POST', '/api/method/run_doc_method', { dt: doctype, dn: name, method, args })

async function subjectOf(doctype: string): Promise<string> {
  const plan = subjectPlans.find((one) => one.doctype === doctype && one.attributes.organization === 'acme')
  return plan ? context.fresh(plan) : 'nothing000'
}

/** All actions except those that would break the following ones. */
const actions = doctypes.flatMap((type) =>
  Object.entries(type.actions ?? {})
    .filter(([name]) => !actionDeclarations[`${type.name}.${name}`]?.lasting)
    .filter(([name]) => name !== 'transfer_ownership' && name !== 'delete_organization')
    // The key that is stored here is none.
    .filter(([name]) => name !== 'download_recovery_key')
    .map(([name, action]) => [`${type.name}.${name}`, type.name, name, actionResponse(action)] as const),
)

describe('methods that return addresses of others declare it', () => {
  test.each(actions)('%s', async (_id, doctype, name, returns: ResponseSchema | undefined) => {
    const { body } = await run(personOf(context, 'owner'), doctype, await subjectOf(doctype), name)
    const found = addressesIn(body['message'], owner)
    if (found.length > 0) expect(returnsPeople(returns), found.join()).toBe(true)
  })

  test('methods that read', async () => {
    const silent: string[] = []
    for (const { name, verbs, returns, access, tokens } of product.methods) {
      if (!verbs.includes('GET') || tokens === 'any' || jsonSchemaOf(returns)?.format === 'binary') continue
      const key = access === 'platform' ? 'platform' : 'owner'
      const { body } = await call(context, personOf(context, key), 'GET', `/api/method/${name}`)
      const found = addressesIn(body['message'], profileOf(key).email)
      if (found.length > 0 && !returnsPeople(returns)) silent.push(`${name}: ${found.join()}`)
    }
    expect(silent).toEqual([])
  })

  test('there are such actions', () => {
    expect(actions.filter(([, , , returns]) => returnsPeople(returns)).map(([id]) => id)).toEqual([
      'Organization.list_invitations',
      'Organization.list_members',
      'Organization.candidates_for_change_owner',
      'Organization.list_login_links',
      'Server.get_terminals',
      'Server.change_owner',
      'Server.candidates_for_change_owner',
      'Site.share',
      'Site.list_shares',
      'Site.list_privileged',
      'Site.set_owner',
      'Site.list_users',
      'Site.wordpress_users',
      'Site.console_runs',
      'WPC Site.share',
      'WPC Site.list_shares',
      'WPC Site.list_privileged',
    ])
  })
})

describe('API tokens', () => {
  const everything = Object.keys(tokenScopes).filter((scope) => scope !== 'activity:write')
  const without = everything.filter((scope) => !scope.startsWith('members:'))

  async function token(scopes: readonly string[], role = 'Organization Admin'): Promise<Person> {
    const maker = personOf(context, 'owner')
    const made = await call(context, maker, 'POST', '/api/method/easydash.api.tokens.create', {
      title: 'people',
      organization: 'acme',
      role,
      scopes,
    })
    const { token: secret } = made.body['message'] as { token: string }
    return { key: 'tokenAll', email: owner, headers: { authorization: `token ${secret}` } }
  }

  test('without members:read they run nothing that tells of people, with it they do', async () => {
    const [withoutMembers, withMembers] = [await token(without), await token([...without, 'members:read'])]
    for (const [id, doctype, name, returns] of actions.filter(([, , , one]) => returnsPeople(one))) {
      const subject = await subjectOf(doctype)
      const denied = await run(withoutMembers, doctype, subject, name)
      expect([id, denied.status]).toEqual([id, 403])
      expect(addressesIn(denied.body, owner)).toEqual([])
      // Actions for the owner alone, and consoles, are closed to tokens anyway.
      if (id === 'Organization.candidates_for_change_owner' || id === 'Site.console_runs') continue
      expect([id, (await run(withMembers, doctype, subject, name)).status, returns !== undefined]).toEqual([
        id,
        // The subject has no WordPress, and a server's owner is an admin.
        ['wordpress_users', 'list_users', 'change_owner'].includes(name) ? 417 : 200,
        true,
      ])
    }
  })

  test('the owner of the plan is only returned with that scope', async () => {
    const status = async (scopes: string[]) =>
      (await call(context, await token(scopes), 'GET', '/api/method/get_subscription_status')).body['message']
    expect(await status(['organization:read'])).toMatchObject({ organization: 'acme', user: null })
    expect(await status(['organization:read', 'members:read'])).toMatchObject({ user: owner })
  })

  test('they invite plain members, get no link, and give nobody a higher role', async () => {
    const all = await token(everything)
    const invite = (organization_role: string, user: string) =>
      call(context, all, 'POST', '/api/resource/Member Invite', { organization: 'acme', organization_role, user })
    for (const role of ['Organization Admin', 'Organization Manager'])
      expect(await invite(role, 'x1@acme.example')).toMatchObject({ status: 403, body: { field: 'organization_role' } })
    const made = await invite('Organization User', 'x2@acme.example')
    expect(made.status).toBe(200)
    expect(made.text).not.toMatch(/token=|[\w-]{43}/)
    const { name } = made.body['data'] as { name: string }
    expect((await run(all, 'Member Invite', name, 'copy_link')).status).toBe(403)
    const resent = await run(all, 'Member Invite', name, 'resend')
    expect(resent.status).toBe(200)
    expect(resent.text).not.toMatch(/token=/)
    const many = await call(context, all, 'POST', '/api/method/invite_members', {
      users: ['x3@acme.example'],
      organization_role: 'Organization Manager',
    })
    expect(many.status).toBe(403)
    const adminInvite = context.subjects.get('Member Invite/asAdmin')?.name ?? ''
    for (const method of ['resend', 'copy_link'])
      expect((await run(all, 'Member Invite', adminInvite, method)).status).toBe(403)
    const row = context.subjects.get('Organization Member/ofManager')?.name ?? ''
    const put = (organization_role: string) =>
      call(context, all, 'PUT', `/api/resource/Organization Member/${row}`, { organization_role })
    expect((await put('Organization Admin')).status).toBe(403)
    expect((await put('Organization User')).status).toBe(200)
    expect((await put('Organization Manager')).status).toBe(403)
  })
})
