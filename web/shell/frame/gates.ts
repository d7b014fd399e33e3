import { hasReachedLimit } from '#web/lib/api/plan-limits.ts'
import type { GateReason } from '#web/lib/routing/redirect-reason.ts'
import { sessionRoles, type Session } from '#web/lib/session/session.tsx'

/** Where to redirect, and the reason to show (null if obvious). */
export interface Redirect {
  to: string
  reason: GateReason | null
}

interface Gate {
  /** Rule number in docs/contracts/screens.md, section 2; 12 is decision 45. */
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

/** Open to signed-out users (docs/contracts/screens.md, rule 1; reset-password and terms by docs/operating.md). */
const openToAll = ['/login', '/signup', '/invitation', '/forgot-password', '/reset-password', '/terms']
/** The link of the verification email works while signed out; the page without a token doesn't. */
const hasToken = (search: string): boolean => Boolean(new URLSearchParams(search).get('token'))
/** Not available to signed-in users. */
const forGuestsOnly = ['/login', '/signup', '/forgot-password']
/** Available before the email is verified. */
const beforeVerification = ['/verify-email', '/invitation', '/reset-password', '/terms']
/** Available without an organization. */
const withoutOrganization = ['/organization/create', '/invitation', '/reset-password', '/terms']
/** Where people set up the two-factor authentication that their organization requires. */
const twoFactorPage = '/two-factor'

/** The gating rules of docs/contracts/screens.md, section 2, in order; the first match decides. */
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
      // The platform page needs no organization; for everyone else it doesn't exist.
      !(path === '/platform' && session.platformAdmin),
    to: '/organization/create',
    reason: 'organization_needed',
  },
  {
    rule: 12,
    when: ({ session }, path) =>
      session.organization?.two_factor_needed === true &&
      path !== twoFactorPage &&
      !withoutOrganization.includes(path) &&
      // Switching to another organization.
      !path.startsWith('/organization/') &&
      !(path === '/platform' && session.platformAdmin),
    to: twoFactorPage,
    reason: null,
  },
  {
    rule: 12,
    when: ({ session }, path) => path === twoFactorPage && session.organization?.two_factor_needed !== true,
    to: '/',
    reason: null,
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

/** Where to redirect a user who can't stay on `path` (below /web, no trailing slash); null if they can. */
export function gate(session: Session, path: string, search = ''): Redirect | null {
  // Rules 5 to 11 assume a signed-in, verified user. Rules 1 and 3 have redirected everyone else, except on the open pages,
  // which no later rule mentions.
  const person: Person = { session, ...sessionRoles(session) }
  const hit = gates.find(({ when }) => when(person, path, search))
  if (!hit || hit.to === path) return null
  // Redirects from the start page need no explanation.
  const silent = path === '/' && (hit.rule === 1 || hit.rule === 3 || hit.rule === 5)
  return { to: hit.to, reason: silent ? null : hit.reason }
}
