import { limitReachedAt } from '#web/documents/actions/limit-notice.ts'
import type { GateReason } from '#web/lib/routing/redirect-reason.ts'
import type { Route } from '#web/lib/routing/route-match.ts'
import { sessionRoles, type Session } from '#web/lib/session/session.tsx'

/** Where to redirect, and the reason to show (null if obvious). */
export interface Redirect {
  to: string
  reason: GateReason | null
}

/** Whether a path is the page of a user. */
const isOwnPage = (path: string, user: string): boolean =>
  path === `/user/${user}` || path === `/user/${encodeURIComponent(user)}`

/**
 * Where to redirect a user who can't stay on `path` (below /web, no trailing slash), the path of `route`; null if they can. These
 * are the rules of docs/contracts/screens.md, section 2, in their order; unknown paths are for members.
 */
export function gate(
  session: Session,
  path: string,
  route: Pick<Route, 'access' | 'crumbs'> | undefined,
  search = '',
): Redirect | null {
  const { access = 'members', crumbs } = route ?? {}
  const { user, verified, organization, platformAdmin } = session
  const { admin, manager, owner } = sessionRoles(session)
  const redirect = (to: string, reason: GateReason | null = null): Redirect => ({ to, reason })
  // Redirects from the start page need no explanation.
  const explained = (to: string, reason: GateReason) => redirect(to, path === '/' ? null : reason)
  const above = crumbs?.[0]?.href ?? '/site'

  if (access === 'anyone') return null
  if (!user) {
    // The link of the verification email works while signed out; the page without a token doesn't.
    const isOpen = access === 'guests' || (access === 'unverified' && new URLSearchParams(search).get('token'))
    return isOpen ? null : explained('/login', 'login_needed')
  }
  if (access === 'guests') return redirect('/site')
  if (!verified) return access === 'unverified' ? null : explained('/verify-email', 'verify_needed')
  if (access === 'unverified') return redirect('/site')
  if (access === 'verified' || (access === 'platform' && platformAdmin)) return null
  // Whoever runs the installation has settings of their own, without being a member anywhere.
  if (platformAdmin && isOwnPage(path, user)) return null
  if (organization === null) return explained('/organization/create', 'organization_needed')
  const needsTwoFactor = organization.two_factor_needed === true
  if (access === 'without_two_factor') return needsTwoFactor ? null : redirect('/')
  if (needsTwoFactor && access !== 'any_member') return redirect('/two-factor')
  const full = limitReachedAt(path, session.subscription)
  if (full !== null) return redirect(`/${full}`, `${full}_limit`)
  if (access === 'managers' && !admin && !manager) return redirect(above, 'managers_only')
  if (access === 'admins' && !admin) return redirect(above, 'admins_only')
  if (access === 'owner' && !owner) return redirect(above, 'owner_only')
  return null
}
