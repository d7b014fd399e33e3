import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { isObject } from '#shared/parse-json.ts'
import { toApiError } from '../api/api-error.ts'
import { call, getDoc } from '../api/api.ts'
import { bootstrapDataOf, takeBootstrapData } from './boot.ts'
import { translateText } from '../i18n/catalog.ts'
import { putInitialDoc } from '../api/initial-docs.ts'
import { watchSession } from '../api/session-end.ts'
import {
  PartMissing,
  signedOut,
  type AvailableOrganization,
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

/** Session data the server puts into the page, so that the first screen needs no request (server/bootstrap-data.ts). */
interface BootstrapData {
  user: string
  metadata: Metadata
  modules: { ee: boolean; wpc: boolean }
  verified: boolean
  subscription: Subscription | null
  own: OwnUser
  /** The user's User Meta. Lists need its preferences before they can request rows. */
  meta: unknown
}

/** The parts of a session that are read one by one; undefined means it could not be read. */
interface SessionParts {
  metadata: Metadata | undefined
  modules: BootstrapData['modules'] | undefined
  verified: boolean | undefined
  /** Null without an organization. */
  subscription: Subscription | null | undefined
  own: OwnUser | undefined
}

const method = {
  metadata: 'easydash.easydash.doctype.user_meta.user_meta.get_current_user_organization_metadata',
  modules: 'easydash.api.modules.enabled_modules',
  verified: 'easydash.api.user.is_verified',
  subscription: 'easydash.easydash.doctype.subscription_organization.subscription_organization.get_subscription_status',
} as const

/** The plan and its usage; null without an organization. */
const readSubscription = (): Promise<Subscription | null> => call(method.subscription, {}, { verb: 'GET' })

/** The session preloaded with the page, once; null if there is none or it belongs to another user. */
function deliveredSession(user: string): Session | null {
  const bootstrapData = takeBootstrapData<BootstrapData>(user)
  if (!bootstrapData) return null
  putInitialDoc('User Meta', user, bootstrapData.meta)
  return sessionFrom(bootstrapData)
}

const sessionFrom = ({ user, metadata, ...parts }: BootstrapData): Session =>
  sessionOf(user, { metadata, ...parts, owner: metadata.is_owner ?? false })

/** The session preloaded with the page, which `deliveredSession` takes later, and the account's preferences. */
export function arrivingSession(user: string): { session: Session; preferences: unknown } | null {
  const bootstrapData = bootstrapDataOf<BootstrapData>(user)
  if (!bootstrapData) return null
  const meta = bootstrapData.meta
  return { session: sessionFrom(bootstrapData), preferences: isObject(meta) ? meta['preferences'] : null }
}

/** Reads the session of the user named by the cookie. */
export const sessionSource: SessionSource = {
  delivered: deliveredSession,
  load: askForSession,
  subscription: readSubscription,
  watch: watchSession,
}

/** Sends nearly all requests in parallel: the cookie already names the user, so nothing waits for whoami. */
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
  // Undefined means it could not be read. `gates` parts are required to show anything.
  const part = async <T>(
    title: string,
    request: Promise<T>,
    { fixedMessage, gates = false }: { fixedMessage?: string; gates?: boolean } = {},
  ): Promise<T | undefined> => {
    try {
      return await request
    } catch (error) {
      const failure = toApiError(error)
      const problem = {
        title: translateText(title),
        message: fixedMessage ? translateText(fixedMessage) : failure.message,
      }
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
      // Any response to a failed request means signed out (docs/contracts/screens.md, section 4); a missing response or a
      // server error doesn't.
      if (failure.httpStatus === 0 || failure.httpStatus >= 500) throw failure
      return null
    }),
    metadataRequest,
    part('Error fetching enabled modules', call<{ ee: boolean; wpc: boolean }>(method.modules)),
    part('Error Fetching User Verification Status', call<boolean>(method.verified, { email: user }), { gates: true }),
    // Without an organization there is no subscription, and the request is denied.
    metadataRequest.then((found) =>
      found?.org_slug && found.available_orgs?.find(({ name }) => name === found.org_slug)?.two_factor_needed !== true
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
  const parts = { metadata, modules, verified, subscription, own }
  const session = sessionOf(me, { ...parts, owner })
  if (!before || problems.length === 0) return { session, problems }
  return { session: { ...session, ...previousParts(before, parts) }, problems }
}

/** The previous value of each part that could not be read (undefined). */
function previousParts(before: Session, read: SessionParts) {
  const { organization, organizations, modules, verified, subscription } = before
  const { fullName, firstName, email, image, platformAdmin } = before
  return {
    // The plan isn't requested while the organization is unknown.
    ...(read.metadata === undefined && { organization, organizations, subscription }),
    ...(read.modules === undefined && { modules }),
    ...(read.verified === undefined && { verified }),
    ...(read.subscription === undefined && { subscription }),
    ...(read.own === undefined && { fullName, firstName, email, image, platformAdmin }),
  }
}

/** Combines the parts; a part that could not be read counts as "no". */
function sessionOf(me: string, parts: SessionParts & { owner: boolean }): Session {
  const { metadata, modules, verified, subscription = null, own, owner } = parts
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

/** Only admins and managers can read the organization's document (tests/permissions/matrix.md); owners are always admins. */
async function isOwner(name: string, { is_owner, org_role, available_orgs }: Metadata, user: string): Promise<boolean> {
  if (typeof is_owner === 'boolean') return is_owner
  const role = org_role ?? available_orgs.find((entry) => entry.name === name)?.role
  if (role !== 'Organization Admin') return false
  try {
    return (await getDoc<{ _owner: string | null }>('Organization', name))._owner === user
  } catch {
    // The server checks ownership again; here it only hides a menu entry.
    return false
  }
}
