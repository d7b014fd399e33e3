import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { ApiError, toApiError } from '../api/api-error.ts'
import { reloadIfOutdated } from '../api/newer-build.ts'

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
  /** E-mail of the organization's owner. */
  user?: string | null
  /** Whether organizations have plans with limits here; if not, nothing about plans is drawn. */
  plans_enabled: boolean
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

/** A part of the session that could not be read; titles are fixed texts of docs/contracts/screens.md, section 8. */
export interface SessionProblem {
  title: string
  message: string
}

/** A part of the session that the gates need could not be read, and nothing is known of it: anything shown would be a guess. */
export class PartMissing extends ApiError {
  readonly title: string
  constructor({ title, message }: SessionProblem, facts: ApiError) {
    super(message, facts)
    this.title = title
  }
}

/** Where the session comes from; behind an interface, because the reading knows these types. */
export interface SessionSource {
  /** What came with the page, once; null when nothing did. */
  delivered: (user: string) => Session | null
  /**
   * Asks the server; what cannot be read stays as it was `before`. Rejects when the server cannot be reached, and with
   * `PartMissing` when nothing was known of what decides where somebody may be.
   */
  load: (user: string, before: Session | null) => Promise<{ session: Session; problems: readonly SessionProblem[] }>
  /** The plan and its use; null without an organization. */
  subscription: () => Promise<Subscription | null>
  /** Watches whether the page is still the person's; `doubted` is told when the role may be another. Returns how to stop. */
  watch: (user: string, doubted: () => void) => () => void
}

interface SessionValue extends Session {
  /** True until everything the gates need is known. */
  loading: boolean
  /** The server could not be reached, or not asked for what the gates need: nothing is known of the session. */
  unreachable: ApiError | null
  problems: readonly SessionProblem[]
  /** Reads everything again; the old values stay on screen meanwhile. */
  refresh: () => Promise<void>
  /** Reads the plan and its use alone, after something came or went. */
  refreshSubscription: () => Promise<void>
}

/** The session of somebody who is not signed in. */
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

/** The signed-in user by the readable cookie; null for guests. A hint: the server's answer decides. */
export function userFromCookie(cookies: string = document.cookie): string | null {
  const pair = cookies.split('; ').find((part) => part.startsWith('user_id='))
  const value = pair ? decodeURIComponent(pair.slice('user_id='.length)) : ''
  return value === '' || value === 'Guest' ? null : value
}

const SessionContext = createContext<SessionValue | null>(null)

interface SessionState {
  session: Session
  problems: readonly SessionProblem[]
  loading: boolean
  unreachable: ApiError | null
}

/** Before anything was asked: guests need no request, and signed-in people none when their session came with the page. */
function firstState(source: SessionSource): SessionState {
  const user = userFromCookie()
  const delivered = user === null ? null : source.delivered(user)
  const loading = user !== null && delivered === null
  return { session: delivered ?? signedOut, problems: [], loading, unreachable: null }
}

/** Loads the session once and gives it to everything below. */
export function SessionProvider({ source, children }: { source: SessionSource; children: ReactNode }) {
  const [state, setState] = useState(() => firstState(source))
  const asks = useRef(state.loading)
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
      // What is on the screen stays; that nothing arrives is said above it.
      if (before !== null) return
      setState((before) => ({ ...before, loading: false, unreachable: toApiError(error) }))
      // There is nothing on the screen now that a reload could lose.
      void reloadIfOutdated()
    }
  }, [source])

  const refreshSubscription = useCallback(async () => {
    try {
      const subscription = await source.subscription()
      setState((before) =>
        // All who look at the session would be drawn anew.
        JSON.stringify(before.session.subscription) === JSON.stringify(subscription)
          ? before
          : { ...before, session: { ...before.session, subscription } },
      )
    } catch {
      // The numbers shown stay; the server enforces the limits.
    }
  }, [source])

  useEffect(() => {
    if (asks.current) void refresh()
    asks.current = false
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
    // isCurrentUserAdmin = organization admin or platform admin (tests/permissions/matrix.md)
    admin: role === 'Organization Admin' || session.platformAdmin,
    manager: role === 'Organization Manager',
    owner: session.organization?.owner ?? false,
    member: role === 'Organization User',
  }
}
