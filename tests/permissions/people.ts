import type { Session } from '#server/contracts/session.ts'
import { UserDoctype, adminProfile, platformRole } from '#shared/doctypes/user.ts'
import type { SuiteProduct } from './product.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

/** The two organizations of the suite. */
export type Slug = 'acme' | 'globex'

/** Properties of a person, independent of the product. */
interface Profile {
  readonly email: string
  /** Organization Member rows. */
  readonly member?: Partial<Record<Slug, string>>
  /** The organization they own. */
  readonly owns?: Slug
  /** Their current organization. */
  readonly chosen?: Slug
  readonly platformAdmin?: true
  readonly unverified?: true
  /** Signed in, then disabled by the platform admin. */
  readonly disabled?: true
  /** Lacks the two-factor authentication that acme requires. */
  readonly withoutFactor?: true
  /** Last password check was long ago. */
  readonly stale?: true
  /** Uses an API token of that address instead of a browser. */
  readonly token?: { readonly organization: Slug; readonly role: string; readonly scopes: readonly string[] }
}

const areas = ['sites', 'servers', 'members', 'organization', 'activity', 'jobs', 'files']
/** Only the product writes the activity log. */
const writing = [...areas.filter((area) => area !== 'activity').map((area) => `${area}:write`), 'activity:read']

/** Everyone covered by the rules. */
export const profiles = {
  platform: { email: 'root@easydash.example', platformAdmin: true },
  owner: { email: 'owner@acme.example', member: { acme: 'Organization Admin' }, owns: 'acme', chosen: 'acme' },
  admin: { email: 'admin@acme.example', member: { acme: 'Organization Admin' }, chosen: 'acme' },
  manager: { email: 'manager@acme.example', member: { acme: 'Organization Manager' }, chosen: 'acme' },
  /** The member with whom sites are shared. */
  member: { email: 'member@acme.example', member: { acme: 'Organization User' }, chosen: 'acme' },
  /** A member with whom nothing is shared. */
  colleague: { email: 'colleague@acme.example', member: { acme: 'Organization User' }, chosen: 'acme' },
  /** A former member; their sites, shares and selected organization are still stored. */
  former: { email: 'former@acme.example', chosen: 'acme' },
  invited: { email: 'invited@acme.example' },
  /** Has a member row but never verified the address. */
  unverified: {
    email: 'unverified@acme.example',
    member: { acme: 'Organization Admin' },
    chosen: 'acme',
    unverified: true,
  },
  disabled: { email: 'disabled@acme.example', member: { acme: 'Organization Admin' }, chosen: 'acme', disabled: true },
  withoutFactor: {
    email: 'without-factor@acme.example',
    member: { acme: 'Organization Admin' },
    chosen: 'acme',
    withoutFactor: true,
  },
  /** Admin of acme, currently working in globex, where they are an Organization User. */
  elsewhere: {
    email: 'elsewhere@acme.example',
    member: { acme: 'Organization Admin', globex: 'Organization User' },
    chosen: 'globex',
  },
  stranger: {
    email: 'owner@globex.example',
    member: { globex: 'Organization Admin' },
    owns: 'globex',
    chosen: 'globex',
  },
  /** The owner again, with a password check long ago. */
  staleOwner: {
    email: 'owner@acme.example',
    member: { acme: 'Organization Admin' },
    owns: 'acme',
    chosen: 'acme',
    stale: true,
  },
  /** Verified, in no organization until they create one. */
  founder: { email: 'founder@easydash.example' },
  /** The owner's token with all scopes: an admin's rights, never the owner's. */
  tokenAll: {
    email: 'owner@acme.example',
    token: { organization: 'acme', role: 'Organization Admin', scopes: writing },
  },
  tokenReading: {
    email: 'owner@acme.example',
    token: { organization: 'acme', role: 'Organization Manager', scopes: areas.map((area) => `${area}:read`) },
  },
  tokenSites: {
    email: 'owner@acme.example',
    token: { organization: 'acme', role: 'Organization Admin', scopes: ['sites:write', 'jobs:read'] },
  },
  /** The member's token: sites shared with the member are accessible to it. */
  tokenMember: {
    email: 'member@acme.example',
    token: { organization: 'acme', role: 'Organization User', scopes: writing },
  },
  guest: { email: 'Guest' },
} as const satisfies Record<string, Profile>

/** Key of a person. */
export type PersonKey = keyof typeof profiles

/** Profile of a person. */
export const profileOf = (key: PersonKey): Profile => profiles[key]

/** Keys of all people. */
export const everybody = Object.keys(profiles) as PersonKey[]

/** A person with a session. */
export interface Person {
  readonly key: PersonKey
  readonly email: string
  /** Session headers; none for the guest. */
  readonly headers: Readonly<Record<string, string>>
}

/** Creates accounts, organizations and member rows, then a session for everyone. */
export async function logInAll(product: SuiteProduct): Promise<ReadonlyMap<PersonKey, Person>> {
  const { documents, accounts } = product.services
  const inSystem = <T>(fn: Parameters<typeof documents.transaction<T>>[1], session: Session = product.system) =>
    documents.transaction(session, fn)
  const known = new Set<string>()
  for (const key of everybody) {
    const { email, platformAdmin, unverified } = profileOf(key)
    if (key === 'guest' || known.has(email)) continue
    known.add(email)
    await inSystem((tx) =>
      tx.insert(UserDoctype, {
        email,
        first_name: key,
        last_name: 'Person',
        enabled: 1,
        email_verified: unverified ? 0 : 1,
        roles: unverified ? [] : [platformRole],
        role_profile_name: platformAdmin ? adminProfile : null,
      }),
    )
  }
  for (const slug of ['acme', 'globex'] as const) {
    const owner = everybody.map(profileOf).find(({ owns }) => owns === slug)?.email ?? ''
    const session: Session = { ...product.system, user: owner }
    await inSystem((tx) => tx.insert(OrganizationDoctype, { title: `${slug}-marker`, slug }), session)
    await inSystem((tx) => tx.update(OrganizationDoctype, slug, { plan: 'Enterprise', client_id: `${slug}-client-id` }))
  }
  for (const key of everybody) {
    const { email, member = {}, owns, chosen, stale } = profileOf(key)
    if (stale) continue
    for (const [slug, role] of Object.entries(member)) {
      if (slug === owns) continue
      await inSystem((tx) =>
        tx.insert('Organization Member', {
          parent: slug,
          parenttype: 'Organization',
          parentfield: 'members',
          user: email,
          organization_role: role,
        }),
      )
    }
    if (chosen) await inSystem((tx) => tx.update(UserMetaDoctype, email, { current_organization: chosen }))
  }
  const people = new Map<PersonKey, Person>()
  for (const key of everybody) {
    const { email, disabled, stale, token } = profileOf(key)
    if (token) continue
    if (key === 'guest') {
      people.set(key, { key, email, headers: {} })
      continue
    }
    const { sid, csrfToken, session } = await accounts.sessions.create(email, { ip: '127.0.0.1', userAgent: key })
    people.set(key, { key, email, headers: { cookie: `sid=${sid}`, 'x-frappe-csrf-token': csrfToken } })
    if (disabled) await inSystem((tx) => tx.update(UserDoctype, email, { enabled: 0 }))
    // Recent for longer than the longest run takes on any machine, or never checked.
    const checked = stale ? null : new Date(Date.now() + 86_400_000)
    await product.database.pool.query('update easydash_session set reauth_at = $2 where id = $1', [session.id, checked])
    if (stale) {
      await inSystem((tx) => tx.update(UserDoctype, email, { last_name: 'Aged' }))
      await inSystem((tx) => tx.update(UserDoctype, email, { last_name: 'Person' }))
    }
  }
  for (const key of everybody) {
    const { email, token } = profileOf(key)
    const maker = [...people.values()].find((one) => one.email === email && !profileOf(one.key).stale)
    if (token && maker) people.set(key, { key, email, headers: await makeToken(product, maker, token) })
  }
  const secured = everybody.filter((key) => key !== 'guest' && !profileOf(key).withoutFactor)
  for (const email of new Set(secured.map((key) => profileOf(key).email)))
    await inSystem((tx) => tx.updateColumns(UserDoctype, email, { two_factor: 1 }))
  await inSystem((tx) => tx.updateColumns(OrganizationDoctype, 'acme', { require_two_factor: 1 }))
  return people
}

/** Creates a token through the API; returns the header to use it with. */
async function makeToken(
  product: SuiteProduct,
  maker: Person,
  token: NonNullable<Profile['token']>,
): Promise<Record<string, string>> {
  const response = await fetch(`${product.url}/api/method/easydash.api.tokens.create`, {
    method: 'POST',
    headers: { ...maker.headers, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ title: 'suite', ...token }),
  })
  const body = (await response.json()) as { message?: { token?: string } }
  if (!body.message?.token) throw new Error(`No token was made: ${JSON.stringify(body)}`)
  return { authorization: `token ${body.message.token}` }
}
