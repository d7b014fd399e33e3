import { hasReachedLimit } from '#web/lib/api/plan-limits.ts'
import type { GateReason } from '#web/lib/routing/redirect-reason.ts'
import { sessionRoles, type Session } from '#web/lib/session/session.tsx'

/** Where to go instead, and the line that says why (null where it explains itself). */
export interface Redirect {
  to: string
  reason: GateReason | null
}

interface Gate {
  /** Number in docs/contracts/screens.md, section 2. */
  rule: number
  when: (person: Person, path: string, search: string) => boolean
  to: string
  reason: GateReason | null
}

interface Person {
  session: Session
  admin: boolean
  manager: boolean
  owner: boolean
}

/** Open to signed-out people (docs/contracts/screens.md, rule 1; reset-password and terms by docs/operating.md). */
const openToAll = ['/login', '/signup', '/invitation', '/forgot-password', '/reset-password', '/terms']
/** The link of the verification mail works signed out (operating contract); the page without it does not. */
const hasToken = (search: string): boolean => Boolean(new URLSearchParams(search).get('token'))
/** Of no use to somebody signed in. */
const forGuestsOnly = ['/login', '/signup', '/forgot-password']
/** Reachable before the address is verified. */
const beforeVerification = ['/verify-email', '/invitation', '/reset-password', '/terms']
/** Reachable without an organization. */
const withoutOrganization = ['/organization/create', '/invitation', '/reset-password', '/terms']

/** The gating rules of docs/contracts/screens.md, section 2, in its order; the first that applies decides. */
export const gates: readonly Gate[] = [
  {
    rule: 1,
    when: ({ session }, path, search) =>
      !session.user && !openToAll.includes(path) && !(path === '/verify-email' && hasToken(search)),
    to: '/login',
    reason: 'login_needed',
  },
  {
    rule: 2,
    when: ({ session }, path) => Boolean(session.user) && forGuestsOnly.includes(path),
    to: '/site',
    reason: null,
  },
  {
    rule: 3,
    when: ({ session }, path) => Boolean(session.user) && !session.verified && !beforeVerification.includes(path),
    to: '/verify-email',
    reason: 'verify_needed',
  },
  {
    rule: 4,
    when: ({ session }, path) => Boolean(session.user) && session.verified && path === '/verify-email',
    to: '/site',
    reason: null,
  },
  {
    rule: 5,
    when: ({ session }, path) =>
      Boolean(session.user) &&
      session.verified &&
      !session.organization &&
      !withoutOrganization.includes(path) &&
      // The platform's own screen needs none (operating contract); to everybody else it does not exist.
      !(path === '/platform' && session.platformAdmin),
    to: '/organization/create',
    reason: 'organization_needed',
  },
  {
    rule: 6,
    when: ({ session }, path) => path === '/site/create' && hasReachedLimit(session.subscription, 'site'),
    to: '/site',
    reason: 'site_limit',
  },
  {
    rule: 7,
    when: ({ session }, path) => path === '/server/create' && hasReachedLimit(session.subscription, 'server'),
    to: '/server',
    reason: 'server_limit',
  },
  {
    rule: 8,
    when: ({ admin, manager }, path) => /^\/server\/(?!create$)[^/]+$/.test(path) && !admin && !manager,
    to: '/server',
    reason: 'managers_only',
  },
  { rule: 9, when: ({ admin }, path) => path === '/organization' && !admin, to: '/site', reason: 'admins_only' },
  {
    rule: 10,
    when: ({ admin, manager }, path) => path === '/user' && !admin && !manager,
    to: '/site',
    reason: 'managers_only',
  },
  { rule: 11, when: ({ owner }, path) => path === '/billing' && !owner, to: '/site', reason: 'owner_only' },
]

/** Where somebody goes who may not stay on `path` (below /web, no trailing slash); null when they may. */
export function gate(session: Session, path: string, search = ''): Redirect | null {
  // Rules 5 to 11 speak of people who are signed in and verified; 1 and 3 have sent everybody else away, except from
  // the open pages, which no later rule names.
  const person: Person = { session, ...sessionRoles(session) }
  const hit = gates.find(({ when }) => when(person, path, search))
  if (!hit || hit.to === path) return null
  // The start page is where everybody goes first: no need to explain.
  const silent = path === '/' && (hit.rule === 1 || hit.rule === 3 || hit.rule === 5)
  return { to: hit.to, reason: silent ? null : hit.reason }
}
