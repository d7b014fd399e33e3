import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import { toApiError, type ApiError } from './api-error.ts'
import { call, getDoc } from './api.ts'

/** Roles inside an organization as the wire names them. */
export type OrganizationRole = 'Organization Admin' | 'Organization Manager' | 'Organization User'

/** An organization the user can switch to. `name` is its slug. */
export interface AvailableOrganization {
  name: string
  title: string
  role: OrganizationRole
}

/** What a plan allows and what is used; a limit of 0 or -1 means none. */
export interface Subscription {
  plan_name: string
  is_free_tier: boolean
  is_canceled: boolean
  cancelation_date: string | null
  usage: { site: number; server: number }
  limits: { site: number; server: number }
}

/** Everything the gates, the shell and the pages know of the person at the screen. */
export interface Session {
  /** E-mail; null when signed out. */
  user: string | null
  fullName: string
  firstName: string
  email: string
  /** Path of the picture, or null. */
  image: string | null
  verified: boolean
  platformAdmin: boolean
  /** Current organization; `role` is the person's own. */
  organization: (AvailableOrganization & { owner: boolean }) | null
  organizations: readonly AvailableOrganization[]
  modules: { ee: boolean; wpc: boolean }
  /** Null without an organization or when it could not be read. */
  subscription: Subscription | null
}

/** A part of the session that could not be read; titles are fixed texts of specification section 8. */
export interface SessionProblem {
  title: string
  message: string
}

interface SessionValue extends Session {
  /** True until everything the gates need is known. */
  loading: boolean
  /** The server could not be reached at all: neither signed in nor out is known. */
  unreachable: ApiError | null
  problems: readonly SessionProblem[]
  /** Reads everything again; the old values stay on screen meanwhile. */
  refresh: () => Promise<void>
  /** Reads the plan and its use alone, after something came or went. */
  refreshSubscription: () => Promise<void>
}

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

const signedOut: Session = {
  user: null,
  fullName: '',
  firstName: '',
  email: '',
  image: null,
  verified: false,
  platformAdmin: false,
  organization: null,
  organizations: [],
  modules: { ee: false, wpc: false },
  subscription: null,
}

/** The signed-in user by the readable cookie; null for guests. A hint: the server's answer decides. */
export function userFromCookie(cookies: string = document.cookie): string | null {
  const pair = cookies.split('; ').find((part) => part.startsWith('user_id='))
  const value = pair ? decodeURIComponent(pair.slice('user_id='.length)) : ''
  return value === '' || value === 'Guest' ? null : value
}

const method = {
  metadata: 'easydash.easydash.doctype.user_meta.user_meta.get_current_user_organization_metadata',
  modules: 'easydash.api.modules.enabled_modules',
  verified: 'easydash.api.user.is_verified',
  subscription: 'easydash.easydash.doctype.subscription_organization.subscription_organization.get_subscription_status',
} as const

const readSubscription = (): Promise<Subscription | null> => call(method.subscription, {}, { verb: 'GET' })

/** Asks everything at once: the cookie already names the user, so nothing waits for whoami. */
async function loadSession(): Promise<{ session: Session; problems: SessionProblem[] }> {
  const user = userFromCookie()
  if (!user) return { session: signedOut, problems: [] }
  const problems: SessionProblem[] = []
  const whoami = call<string>('frappe.auth.get_logged_user', {}, { verb: 'GET' })
  const part = async <T,>(title: string, request: Promise<T>): Promise<T | null> => {
    try {
      return await request
    } catch (error) {
      problems.push({ title, message: toApiError(error).message })
      return null
    }
  }
  const [me, metadata, modules, verified, subscription, own] = await Promise.all([
    whoami.catch((error: unknown) => {
      const failure = toApiError(error)
      // An answer, whatever it says, means signed out (specification section 4); silence does not.
      if (failure.httpStatus === 0 || failure.httpStatus >= 500) throw failure
      return null
    }),
    part('Error Fetching User Organization Metadata', call<Metadata>(method.metadata)),
    part('Error fetching enabled modules', call<{ ee: boolean; wpc: boolean }>(method.modules)),
    part('Error Fetching User Verification Status', call<boolean>(method.verified, { email: user })),
    // Without an organization there is nothing to subscribe: the metadata says which case it is.
    part('Error Fetching Subscription Status', readSubscription()),
    part('Error Fetching User Details', getDoc<OwnUser>('User', user)),
  ])
  if (!me) return { session: signedOut, problems: [] }
  const organizations = metadata?.available_orgs ?? []
  const current = organizations.find((entry) => entry.name === metadata?.org_slug) ?? null
  const role = metadata?.org_role ?? current?.role ?? 'Organization User'
  const owner = current ? await isOwner(current.name, role, me, metadata) : false
  return {
    session: {
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
      subscription: current ? subscription : null,
    },
    problems: current ? problems : problems.filter(({ title }) => title !== 'Error Fetching Subscription Status'),
  }
}

/** Only admins and managers read the organization's document (specification section 6); owners are always admins. */
async function isOwner(
  name: string,
  role: OrganizationRole,
  user: string,
  metadata: Metadata | null,
): Promise<boolean> {
  if (typeof metadata?.is_owner === 'boolean') return metadata.is_owner
  if (role !== 'Organization Admin') return false
  try {
    return (await getDoc<{ _owner: string | null }>('Organization', name))._owner === user
  } catch {
    // The pages that need the owner check again on the server; here it only hides a menu entry.
    return false
  }
}

const SessionContext = createContext<SessionValue | null>(null)

/** Loads the session once and gives it to everything below. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState(() => ({
    session: signedOut,
    problems: [] as readonly SessionProblem[],
    loading: userFromCookie() !== null,
    unreachable: null as ApiError | null,
  }))

  const refresh = useCallback(
    () =>
      loadSession().then(
        ({ session, problems }) => setState({ session, problems, loading: false, unreachable: null }),
        (error: unknown) => setState((before) => ({ ...before, loading: false, unreachable: toApiError(error) })),
      ),
    [],
  )

  const refreshSubscription = useCallback(async () => {
    try {
      const subscription = await readSubscription()
      setState((before) => ({ ...before, session: { ...before.session, subscription } }))
    } catch {
      // The numbers shown stay; the server enforces the limits.
    }
  }, [])

  useEffect(() => {
    // Guests need no request.
    if (userFromCookie() !== null) void refresh()
  }, [refresh])

  const value = useMemo<SessionValue>(
    () => ({
      ...state.session,
      loading: state.loading,
      unreachable: state.unreachable,
      problems: state.problems,
      refresh,
      refreshSubscription,
    }),
    [state, refresh, refreshSubscription],
  )
  return <SessionContext value={value}>{children}</SessionContext>
}

/** Who is at the screen, their organization and what they may do. */
export function useSession(): SessionValue {
  const value = useContext(SessionContext)
  if (!value) throw new Error('useSession needs a SessionProvider above it')
  return value
}

/** Facts about roles that several screens ask for. */
export function sessionRoles(session: Session): { admin: boolean; manager: boolean; owner: boolean; member: boolean } {
  const role = session.organization?.role
  return {
    // isCurrentUserAdmin = organization admin or platform admin (specification section 6)
    admin: role === 'Organization Admin' || session.platformAdmin,
    manager: role === 'Organization Manager',
    owner: session.organization?.owner ?? false,
    member: role === 'Organization User',
  }
}
