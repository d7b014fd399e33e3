/** Concurrent changes of ownership, roles, invitations, tokens and limits, in every combination. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { organizationRoles } from '#shared/doctypes/organization-member.ts'
import { UserDoctype, platformRole } from '#shared/doctypes/user.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { openSuiteProduct, type SuiteProduct } from '#tests/permissions/product.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let database: TestDatabase
let product: SuiteProduct
beforeAll(async () => {
  database = await createProductDatabase()
  product = await openSuiteProduct(database.connection)
  await product.services.jobs.start()
})
afterAll(async () => {
  await product?.services.jobs.stop()
  await product?.close()
  await database?.drop()
})

const inSystem = <T>(fn: (tx: Tx) => Promise<T>, user = 'System') =>
  product.services.documents.transaction({ ...product.system, user }, fn)
const query = async <T extends object>(text: string, values: unknown[] = []) =>
  (await product.database.pool.query<T>(text, values)).rows

/** A user with a session whose password was just confirmed. */
interface ConfirmedUser {
  readonly email: string
  readonly headers: Readonly<Record<string, string>>
}

async function somebody(email: string): Promise<ConfirmedUser> {
  await inSystem((tx) =>
    tx.insert(UserDoctype, { email, first_name: 'Some', enabled: 1, email_verified: 1, roles: [platformRole] }),
  )
  const { sid, csrfToken, session } = await product.services.accounts.sessions.create(email, {
    ip: '127.0.0.1',
    userAgent: 'test',
  })
  await product.database.pool.query("update easydash_session set reauth_at = now() + '1 day' where id = $1", [
    session.id,
  ])
  return { email, headers: { cookie: `sid=${sid}`, 'x-frappe-csrf-token': csrfToken } }
}

interface ParsedResponse {
  readonly status: number
  readonly body: Record<string, unknown>
}

async function call(by: ConfirmedUser, method: string, path: string, params?: object): Promise<ParsedResponse> {
  const response = await fetch(new URL(path, product.url), {
    method,
    headers: { ...by.headers, accept: 'application/json', 'content-type': 'application/json' },
    ...(params === undefined ? {} : { body: JSON.stringify(params) }),
  })
  return { status: response.status, body: (await response.json()) as ParsedResponse['body'] }
}

const post = (by: ConfirmedUser, name: string, params: object) => call(by, 'POST', `/api/method/${name}`, params)
const act = (by: ConfirmedUser, dt: string, dn: string, method: string, args: object = {}) =>
  post(by, 'run_doc_method', { dt, dn, method, args })
const resource = (doctype: string, name = '') =>
  `/api/resource/${encodeURIComponent(doctype)}${name && `/${encodeURIComponent(name)}`}`

/** The site limit. */
const siteLimit = 3

/** An organization with members of each role, invited people and their links, a shared site and tokens. */
interface TestOrganization {
  readonly slug: string
  /** Owner first. */
  readonly members: readonly ConfirmedUser[]
  readonly invited: readonly { person: ConfirmedUser; invite: string; token: string }[]
  readonly server: string
  /** '' if the organization may be deleted. */
  readonly site: string
  readonly tokens: readonly string[]
}

let organizations = 0

async function newOrganization(hasSite: boolean): Promise<TestOrganization> {
  organizations += 1
  const slug = `race-${organizations}`
  const people = await Promise.all(
    ['owner', 'admin', 'admin2', 'manager', 'user', 'user2', 'guest', 'guest2'].map((name) =>
      somebody(`${name}@${slug}.example`),
    ),
  )
  const [owner, ...others] = people as [ConfirmedUser, ...ConfirmedUser[]]
  const members = [owner, ...others.slice(0, 5)]
  await inSystem((tx) => tx.insert(OrganizationDoctype, { title: slug, slug }), owner.email)
  const roles = ['Organization Admin', 'Organization Admin', 'Organization Manager', 'Organization User']
  for (const [at, { email }] of others.slice(0, 5).entries())
    await inSystem(async (tx) => {
      const organization_role = roles[Math.min(at, 3)]
      await tx.insert('Organization Member', {
        parent: slug,
        parenttype: 'Organization',
        parentfield: 'members',
        user: email,
        organization_role,
      })
      await tx.update(UserMetaDoctype, email, { current_organization: slug })
    })
  const server = await inSystem(async (tx) => {
    await tx.update(OrganizationDoctype, slug, { site_limit_override: String(siteLimit), server_limit_override: '2' })
    const values = { engine: 'fake', engine_host: 'fake:this', status: 'Healthy', server_category: 'development' }
    return (await tx.insert('Server', { organization: slug, hostname: slug, ...values })).name
  })
  const invited = []
  for (const person of others.slice(5)) {
    const values = { organization: slug, user: person.email, organization_role: 'Organization User' }
    const made = await call(owner, 'POST', resource('Member Invite'), values)
    const invite = (made.body['data'] as { name: string }).name
    const copied = await act(owner, 'Member Invite', invite, 'copy_link')
    const token = String((copied.body['message'] as { link: string }).link).split('token=')[1] ?? ''
    invited.push({ person, invite, token })
  }
  const first = hasSite ? await createSite(members[4] as ConfirmedUser, slug, server) : null
  const site = first ? (first.body['data'] as { name: string }).name : 'nosite0000'
  const tokens = []
  for (const person of members.slice(0, 5)) {
    const response = await post(person, 'easydash.api.tokens.create', tokenParams(slug))
    tokens.push((response.body['message'] as { name: string }).name)
  }
  return { slug, members, invited, server, site, tokens }
}

let sites = 0
const createSite = (by: ConfirmedUser, organization: string, server: string) => {
  sites += 1
  return call(by, 'POST', resource('Site'), { organization, server, domain: `site-${sites}`, site_type: 'html' })
}
const tokenParams = (organization: string) => ({ title: 'x', organization, scopes: ['sites:read'] })

/** A concurrent operation. `at` and `to` choose among the people, `role` among the roles. */
interface Attempt {
  readonly kind: keyof typeof kinds
  readonly at: number
  readonly to: number
  readonly role: number
}

const one = <T>(list: readonly T[], at: number): T => list[at % list.length] as T
const everybody = ({ members, invited }: TestOrganization) => [...members, ...invited.map(({ person }) => person)]
const rowOf = async ({ slug }: TestOrganization, user: string) =>
  (
    await query<{ name: string }>('select name from tab_organization_member where parent = $1 and "user" = $2', [
      slug,
      user,
    ])
  )[0]?.name ?? 'nobody0000'

let views = 0
const kinds = {
  transfer: (p: TestOrganization, { at, to }: Attempt) =>
    act(one(p.members.slice(0, 2), at), 'Organization', p.slug, 'transfer_ownership', {
      new_owner: one(p.members.slice(1, 4), to).email,
    }),
  role: async (p: TestOrganization, { at, to, role }: Attempt) =>
    call(one(p.members, at), 'PUT', resource('Organization Member', await rowOf(p, one(everybody(p), to).email)), {
      organization_role: one(organizationRoles, role),
    }),
  remove: async (p: TestOrganization, { at, to }: Attempt) =>
    call(one(p.members, at), 'DELETE', resource('Organization Member', await rowOf(p, one(everybody(p), to).email))),
  leave: (p: TestOrganization, { at }: Attempt) => act(one(p.members, at), 'Organization', p.slug, 'leave'),
  invite: (p: TestOrganization, { at, to, role }: Attempt) =>
    call(one(p.members, at), 'POST', resource('Member Invite'), {
      organization: p.slug,
      user: `new${to}@${p.slug}.example`,
      organization_role: one(organizationRoles, role),
    }),
  resend: (p: TestOrganization, { at, to }: Attempt) =>
    act(one(p.members, at), 'Member Invite', one(p.invited, to).invite, 'resend'),
  revoke: (p: TestOrganization, { at, to }: Attempt) =>
    act(one(p.members, at), 'Member Invite', one(p.invited, to).invite, 'revoke'),
  accept: (p: TestOrganization, { to }: Attempt) => {
    const { person, token } = one(p.invited, to)
    return post(person, 'easydash.api.account.accept_invitation', { token })
  },
  decline: (p: TestOrganization, { to }: Attempt) => {
    const { person, token } = one(p.invited, to)
    return post(person, 'easydash.api.account.decline_invitation', { token })
  },
  'make token': (p: TestOrganization, { at }: Attempt) =>
    post(one(p.members, at), 'easydash.api.tokens.create', tokenParams(p.slug)),
  'revoke token': (p: TestOrganization, { at, to }: Attempt) =>
    act(one(p.members, at), 'API Token', one(p.tokens, to), 'revoke'),
  'save view': (p: TestOrganization, { at }: Attempt) => {
    views += 1
    const values = { organization: p.slug, title: `view ${views}`, reference_doctype: 'Site' }
    return call(one(p.members, at), 'POST', resource('Saved View'), values)
  },
  'create site': (p: TestOrganization, { at }: Attempt) => createSite(one(p.members, at), p.slug, p.server),
  share: (p: TestOrganization, { at, to }: Attempt) =>
    act(one(p.members.slice(0, 5), at), 'Site', p.site, 'share', {
      user: one(everybody(p).slice(4), to).email,
      share: 1,
    }),
  unshare: (p: TestOrganization, { at, to }: Attempt) =>
    act(one(p.members.slice(0, 5), at), 'Site', p.site, 'unshare', { user: one(everybody(p).slice(4), to).email }),
  'transfer site': (p: TestOrganization, { at, to }: Attempt) =>
    act(one(p.members, at), 'Site', p.site, 'set_owner', { new_owner: one(everybody(p), to).email }),
  title: (p: TestOrganization, { at }: Attempt) =>
    call(one(p.members, at), 'PUT', resource('Organization', p.slug), { title: 'New' }),
  plan: (p: TestOrganization, { at }: Attempt) =>
    act(one(p.members, at), 'Subscription Organization', p.slug, 'change_plan', { plan: 'Pro' }),
  switch: (p: TestOrganization, { at }: Attempt) =>
    post(one(p.members, at), 'switch_organization', { organization: p.slug }),
  end: (p: TestOrganization) =>
    act(p.members[0] as ConfirmedUser, 'Organization', p.slug, 'delete_organization', { confirm_name: p.slug }),
} as const

const tries = fc.array(
  fc.record({
    kind: fc.constantFrom(...(Object.keys(kinds) as Attempt['kind'][])),
    at: fc.nat({ max: 30 }),
    to: fc.nat({ max: 30 }),
    role: fc.nat({ max: 2 }),
  }),
  { minLength: 6, maxLength: 18 },
)

/** Describes violated invariants; empty if there are none. */
async function violations(p: TestOrganization): Promise<string[]> {
  const members = await query<{ user: string; organization_role: string }>(
    'select "user", organization_role from tab_organization_member where parent = $1',
    [p.slug],
  )
  const found: string[] = []
  const [organization] = await query<{ owner: string }>(
    'select _owner as owner from tab_organization where name = $1',
    [p.slug],
  )
  const owners = members.filter((row) => row.user === organization?.owner)
  if (organization && (owners.length !== 1 || owners[0]?.organization_role !== 'Organization Admin'))
    found.push(`${owners.length} owners`)
  if (!organization && members.length > 0) found.push('members of an organization that no longer exists')
  const users = members.map(({ user }) => user)
  if (new Set(users).size !== users.length) found.push('a member twice')
  const left: Record<string, string> = {
    tokens: 'select "user" as who from tab_api_token where organization = $1 and enabled = 1',
    shares: 'select "user" as who from tab_docshare where organization = $1',
    views: 'select owner as who from tab_saved_view where organization = $1',
    choices: 'select name as who from tab_user_meta where current_organization = $1',
    invitations: "select invited_by as who from tab_member_invite where organization = $1 and status = 'pending'",
  }
  for (const [what, text] of Object.entries(left))
    for (const { who } of await query<{ who: string }>(text, [p.slug]))
      if (!users.includes(who)) found.push(`${what} of ${who}, who is no member`)
  const [count] = await query<{ n: number }>(
    "select count(*)::int as n from tab_site where organization = $1 and status <> 'Archived'",
    [p.slug],
  )
  if ((count?.n ?? 0) > siteLimit) found.push(`${count?.n} sites`)
  // The log has the order of events: revoked or declined invitations are not accepted afterwards, and none is accepted
  // twice.
  for (const { invite } of p.invited) {
    const log = await query<{ action: string }>(
      'select action from tab_activity where organization = $1 and reference_name = $2 order by sequence',
      [p.slug, invite],
    )
    const acts = log.map(({ action }) => action.split('.')[1])
    const accepted = acts.flatMap((name, at) => (name === 'accept' ? [at] : []))
    const ended = acts.findIndex((name) => name === 'delete' || name === 'decline')
    if (accepted.length > 1) found.push('an invitation accepted twice')
    if (accepted.length > 0 && ended !== -1 && ended < (accepted[0] as number)) found.push('accepted after its end')
  }
  for (const person of everybody(p).filter(({ email }) => !users.includes(email))) {
    const { status } = await call(person, 'GET', resource('Organization', p.slug))
    if (status === 200) found.push(`${person.email} still reads`)
  }
  return found
}

const long = process.env['EASYDASH_TEST_LONG'] === '1'

test(
  'whatever people do to one another at once, everybody’s rights stay whole',
  async () => {
    await fc.assert(
      fc.asyncProperty(tries, fc.boolean(), async (batch, hasSite) => {
        const organization = await newOrganization(hasSite)
        const responses = await Promise.all(batch.map((attempt) => kinds[attempt.kind](organization, attempt)))
        expect(responses.filter(({ status }) => status >= 500)).toEqual([])
        expect(await violations(organization)).toEqual([])
        expect(product.warnings).toEqual([])
        expect(product.defects).toEqual([])
      }),
      { numRuns: long ? 1000 : 20, seed: 20_261_121, endOnFailure: true },
    )
  },
  long ? 1_800_000 : 180_000,
)
