import { toApiError } from '../api/api-error.ts'
import { call, getDoc } from '../api/api.ts'
import { takeSessionFacts } from './boot.ts'
import { described } from '../i18n/catalogue.ts'
import { putFirstDoc } from '../api/first-docs.ts'
import { watchSession } from '../api/session-end.ts'
import {
  PartMissing,
  signedOut,
  type AvailableOrganization,
  type OrganizationRole,
  type Session,
  type SessionProblem,
  type SessionSource,
  type Subscription,
} from './session.tsx'

interface Metadata {
  org_slug: string | null
  org_role: OrganizationRole | null
  available_orgs: AvailableOrganization[]
  is_owner?: boolean
}

interface OwnUser {
  email: string
  full_name: string | null
  first_name: string | null
  user_image: string | null
  role_profile_name?: string | null
}

/** What the server put into the page, so that the first screen waits for no request (server/session-facts.ts). */
interface Facts {
  user: string
  metadata: Metadata
  modules: { ee: boolean; wpc: boolean }
  verified: boolean
  subscription: Subscription | null
  own: OwnUser
  /** The person's User Meta: lists need its preferences before they can ask for rows. */
  meta: unknown
}

const method = {
  metadata: 'easydash.easydash.doctype.user_meta.user_meta.get_current_user_organization_metadata',
  modules: 'easydash.api.modules.enabled_modules',
  verified: 'easydash.api.user.is_verified',
  subscription: 'easydash.easydash.doctype.subscription_organization.subscription_organization.get_subscription_status',
} as const

/** The plan and its use; null without an organization. */
const readSubscription = (): Promise<Subscription | null> => call(method.subscription, {}, { verb: 'GET' })

/** The session as it came with the page, once; null when there is none or it is another's. */
function deliveredSession(user: string): Session | null {
  const facts = takeSessionFacts<Facts>(user)
  if (!facts) return null
  const { metadata, modules, verified, subscription, own, meta } = facts
  putFirstDoc('User Meta', user, meta)
  return sessionOf(facts.user, metadata, modules, verified, subscription, own, metadata.is_owner ?? false)
}

/** How the session of the person with this cookie is read. */
export const sessionSource: SessionSource = {
  delivered: deliveredSession,
  load: askForSession,
  subscription: readSubscription,
  watch: watchSession,
}

/** Asks nearly everything at once: the cookie already names the user, so nothing waits for whoami. */
async function askForSession(
  user: string,
  before: Session | null,
): Promise<{ session: Session; problems: SessionProblem[] }> {
  const problems: SessionProblem[] = []
  let unknown: PartMissing | null = null
  const whoami = call<string>(
    'frappe.auth.get_logged_user',
    {},
    { verb: 'GET', failure: 'There was an error while fetching the logged in user' },
  )
  // Undefined: it could not be read. `gates` decide by it, so without it nothing can be shown.
  const part = async <T>(
    title: string,
    request: Promise<T>,
    { fixedMessage, gates = false }: { fixedMessage?: string; gates?: boolean } = {},
  ): Promise<T | undefined> => {
    try {
      return await request
    } catch (error) {
      const failure = toApiError(error)
      const problem = { title: described(title), message: fixedMessage ? described(fixedMessage) : failure.message }
      problems.push(problem)
      if (gates && !before) unknown ??= new PartMissing(problem, failure)
      return undefined
    }
  }
  const metadataRequest = part('Error Fetching User Organization Metadata', call<Metadata>(method.metadata), {
    gates: true,
  })
  const [me, metadata, modules, verified, subscription, own] = await Promise.all([
    whoami.catch((error: unknown) => {
      const failure = toApiError(error)
      // An answer, whatever it says, means signed out (docs/contracts/screens.md, section 4); silence does not.
      if (failure.httpStatus === 0 || failure.httpStatus >= 500) throw failure
      return null
    }),
    metadataRequest,
    part('Error fetching enabled modules', call<{ ee: boolean; wpc: boolean }>(method.modules)),
    part('Error Fetching User Verification Status', call<boolean>(method.verified, { email: user }), { gates: true }),
    // Without an organization there is nothing to subscribe, and asking is refused.
    metadataRequest.then((found) =>
      found?.org_slug
        ? part('Error Fetching Subscription Status', readSubscription(), {
            fixedMessage: 'Failed to fetch subscription status. Please try again later.',
          })
        : null,
    ),
    part('Error Fetching User Details', getDoc<OwnUser>('User', user)),
  ])
  if (!me) return { session: signedOut, problems: [] }
  if (unknown !== null) throw unknown as PartMissing
  const owner = metadata?.org_slug ? await isOwner(metadata.org_slug, metadata, me) : false
  const session = sessionOf(me, metadata, modules, verified, subscription ?? null, own, owner)
  if (!before || problems.length === 0) return { session, problems }
  return { session: { ...session, ...keptOf(before, { metadata, modules, verified, subscription, own }) }, problems }
}

/** What stays of a session as it was, for each part that could not be read (undefined). */
function keptOf(before: Session, read: Record<'metadata' | 'modules' | 'verified' | 'subscription' | 'own', unknown>) {
  const { organization, organizations, modules, verified, subscription } = before
  const { fullName, firstName, email, image, platformAdmin } = before
  return {
    // The plan is not asked for while the organization is not known.
    ...(read.metadata === undefined && { organization, organizations, subscription }),
    ...(read.modules === undefined && { modules }),
    ...(read.verified === undefined && { verified }),
    ...(read.subscription === undefined && { subscription }),
    ...(read.own === undefined && { fullName, firstName, email, image, platformAdmin }),
  }
}

/** The parts together; a part that could not be read counts as "no". */
function sessionOf(
  me: string,
  metadata: Metadata | undefined,
  modules: Facts['modules'] | undefined,
  verified: boolean | undefined,
  subscription: Subscription | null,
  own: OwnUser | undefined,
  owner: boolean,
): Session {
  const organizations = metadata?.available_orgs ?? []
  const current = organizations.find((entry) => entry.name === metadata?.org_slug) ?? null
  const role = metadata?.org_role ?? current?.role ?? 'Organization User'
  return {
    user: me,
    fullName: own?.full_name ?? me,
    firstName: own?.first_name ?? own?.full_name ?? me,
    email: own?.email ?? me,
    image: own?.user_image ?? null,
    verified: Boolean(verified),
    platformAdmin: own?.role_profile_name === 'Easydash Admin',
    organization: current && { ...current, role, owner },
    organizations,
    modules: { ee: Boolean(modules?.ee), wpc: Boolean(modules?.wpc) },
    subscription,
  }
}

/** Only admins and managers read the organization's document (tests/permissions/matrix.md); owners are always admins. */
async function isOwner(name: string, { is_owner, org_role, available_orgs }: Metadata, user: string): Promise<boolean> {
  if (typeof is_owner === 'boolean') return is_owner
  const role = org_role ?? available_orgs.find((entry) => entry.name === name)?.role
  if (role !== 'Organization Admin') return false
  try {
    return (await getDoc<{ _owner: string | null }>('Organization', name))._owner === user
  } catch {
    // The pages that need the owner check again on the server; here it only hides a menu entry.
    return false
  }
}
