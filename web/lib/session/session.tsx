import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import type { SubscriptionStatus } from '#shared/responses/billing.ts'
import { ApiError, toApiError } from '../api/api-error.ts'
import { reloadIfOutdated } from '../api/newer-build.ts'

/** An organization the user can switch to. `name` is its slug. */
export interface AvailableOrganization {
  name: string
  title: string
  role: OrganizationRole
  /** It requires two-factor authentication, which the user has not set up: there is no access until then. */
  two_factor_needed?: boolean
}

/** Limits and usage of a plan; a limit of 0 or -1 means none. */
export interface Subscription {
  /** Email of the organization's owner. */
  user?: string | null
  /** Whether this installation has plans with limits; if not, nothing about plans is shown. */
  plans_enabled: boolean
  plan_name: string
  is_free_tier: boolean
  is_canceled: boolean
  cancelation_date: string | null
  /** Whether it was given until then: only a payment keeps it. */
  is_grant_ending?: boolean
  usage: { site: number; server: number }
  limits: { site: number; server: number }
  /** Limits that the platform admin granted; null = the plan's. */
  overrides?: { site: number | null; server: number | null }
  /** Who charges for plans; null for everyone but the owner, and where nothing is charged. */
  payment_provider?: SubscriptionStatus['payment_provider']
  /** A payment that is due; null for everyone but the owner. */
  payment?: SubscriptionStatus['payment']
}

/** Everything the gates, the shell and the pages know about the current user. */
export interface Session {
  /** Email; null if signed out. */
  user: string | null
  fullName: string
  firstName: string
  email: string
  /** Path of the avatar, or null. */
  image: string | null
  verified: boolean
  platformAdmin: boolean
  /** Current organization; `role` is the user's role in it. */
  organization: (AvailableOrganization & { owner: boolean }) | null
  organizations: readonly AvailableOrganization[]
  modules: { ee: boolean; wpc: boolean }
  /** Null without an organization or if it could not be read. */
  subscription: Subscription | null
}

/** A part of the session that could not be read. Titles are fixed texts (docs/contracts/screens.md, section 8). */
export interface SessionProblem {
  title: string
  message: string
}

/** A required part of the session could not be read and has no previous value, so the gates can't decide. */
export class PartMissing extends ApiError {
  readonly title: string
  constructor({ title, message }: SessionProblem, details: ApiError) {
    super(message, details)
    this.title = title
  }
}

/** Reads the session. An interface, because its implementation imports these types. */
export interface SessionSource {
  /** Returns the session preloaded with the page, once; null if there is none. */
  delivered: (user: string) => Session | null
  /**
   * Requests the session from the server; parts that can't be read keep their value from `before`. Rejects if the server is
   * unreachable, and with `PartMissing` if a part that the gates need is unknown.
   */
  load: (user: string, before: Session | null) => Promise<{ session: Session; problems: readonly SessionProblem[] }>
  /** The plan and its usage; null without an organization. */
  subscription: () => Promise<Subscription | null>
  /**
   * Watches whether the page still belongs to the user; `onInvalidated` is called if the role may have changed. Returns a stop
   * function.
   */
  watch: (user: string, onInvalidated: () => void) => () => void
}

interface SessionValue extends Session {
  /** True until everything the gates need is known. */
  loading: boolean
  /**
   * Set if nothing is known of the session, because a part that the gates need can't be read (`PartMissing`) or the server can't
   * be reached. The latter counts as logged out until the session could be read, which is tried again and again.
   */
  unreachable: ApiError | null
  problems: readonly SessionProblem[]
  /** Reads everything again; the old values stay on screen. */
  refresh: () => Promise<void>
  /** Reads only the plan and its usage, after something was created or deleted. */
  refreshSubscription: () => Promise<void>
}

/** The session of a signed-out user. */
export const signedOut: Session = {
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

/** The signed-in user by the readable cookie; null for guests. Only a hint: the server decides. */
export function userFromCookie(cookies: string = document.cookie): string | null {
  const pair = cookies.split('; ').find((part) => part.startsWith('user_id='))
  const value = pair ? decodeURIComponent(pair.slice('user_id='.length)) : ''
  return value === '' || value === 'Guest' ? null : value
}

/** Time before a session that could not be read is requested again (docs/contracts/screens.md, section 9). */
const retryMs = 5000

const SessionContext = createContext<SessionValue | null>(null)

interface SessionState {
  session: Session
  problems: readonly SessionProblem[]
  loading: boolean
  unreachable: ApiError | null
}

/** State before any request. Guests need no request, nor do signed-in users whose session came with the page. */
function firstState(source: SessionSource): SessionState {
  const user = userFromCookie()
  const delivered = user === null ? null : source.delivered(user)
  const loading = user !== null && delivered === null
  return { session: delivered ?? signedOut, problems: [], loading, unreachable: null }
}

/** Loads the session once and provides it to its children. */
export function SessionProvider({ source, children }: { source: SessionSource; children: ReactNode }) {
  const [state, setState] = useState(() => firstState(source))
  const shouldLoad = useRef(state.loading)
  const known = useRef<Session | null>(null)
  useEffect(() => {
    known.current = state.loading || state.unreachable ? null : state.session
  }, [state])

  const refresh = useCallback(async () => {
    const user = userFromCookie()
    const before = user !== null && known.current?.user === user ? known.current : null
    try {
      const { session, problems } = user ? await source.load(user, before) : { session: signedOut, problems: [] }
      setState({ session, problems, loading: false, unreachable: null })
    } catch (error) {
      // The page stays as it is, with an offline notice above it.
      if (before !== null) return
      setState((before) => ({ ...before, loading: false, unreachable: toApiError(error) }))
      // Nothing is on screen that a reload could lose.
      void reloadIfOutdated()
    }
  }, [source])

  const { unreachable } = state
  useEffect(() => {
    if (unreachable === null || unreachable instanceof PartMissing) return
    // Each failure is another object and so starts the next attempt.
    const next = setTimeout(() => void refresh(), retryMs)
    return () => clearTimeout(next)
  }, [unreachable, refresh])

  const refreshSubscription = useCallback(async () => {
    try {
      const subscription = await source.subscription()
      setState((before) =>
        // Keeps the object, which avoids re-rendering every consumer of the session.
        JSON.stringify(before.session.subscription) === JSON.stringify(subscription)
          ? before
          : { ...before, session: { ...before.session, subscription } },
      )
    } catch {
      // The displayed numbers stay; the server enforces the limits.
    }
  }, [source])

  useEffect(() => {
    if (shouldLoad.current) void refresh()
    shouldLoad.current = false
  }, [refresh])

  const { user } = state.session
  useEffect(() => (user === null ? undefined : source.watch(user, () => void refresh())), [user, source, refresh])

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

/** The current user, their organization and permissions. */
export function useSession(): SessionValue {
  const value = useContext(SessionContext)
  if (!value) throw new Error('useSession needs a SessionProvider above it')
  return value
}

/** Role checks that several screens use. */
export function sessionRoles(session: Session): {
  admin: boolean
  manager: boolean
  owner: boolean
  member: boolean
  privileged: boolean
} {
  const role = session.organization?.role
  // isCurrentUserAdmin = organization admin or platform admin (tests/permissions/matrix.md)
  const admin = role === 'Organization Admin' || session.platformAdmin
  const manager = role === 'Organization Manager'
  const owner = session.organization?.owner ?? false
  // Who works with all servers and sites of the organization.
  return { admin, manager, owner, member: role === 'Organization User', privileged: admin || manager || owner }
}
