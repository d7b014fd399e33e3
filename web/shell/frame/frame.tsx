import { parseOwnJson } from '#shared/parse-json.ts'
import { lazy, StrictMode, Suspense, useEffect, useLayoutEffect, useMemo } from 'react'
import { useLocation } from 'react-router'
import { Navigate } from '#web/lib/routing/router.tsx'
import { t } from '#web/lib/i18n/messages.ts'
import type { RedirectState } from '#web/lib/routing/redirect-reason.ts'
import { safeNext } from '#web/lib/routing/safe-next.ts'
import {
  matchRoute,
  PathParams,
  routeTitle,
  screensFor,
  trimmedPath,
  type Route as Screen,
} from '#web/lib/routing/route-match.ts'
import { PartMissing, useSession } from '#web/lib/session/session.tsx'
import { setRouteTitle } from '#web/lib/routing/use-title.ts'
import { laterComponent } from '#web/ui/later-module.tsx'
import { LazyBoundary } from '#web/ui/lazy-boundary.tsx'
import { ScreenSpinner } from '#web/ui/screen-spinner.tsx'
import { gate } from './gates.ts'
import { preloadScreen, shell } from './preload-screen.ts'
import { RouteArrival } from './route-arrival.tsx'

/** With the toasts, which guests don't need. */
const Unreachable = lazy(() => import('./unreachable.tsx').then((module) => ({ default: module.Unreachable })))
/** With the data layer. */
const OutsideShell = lazy(() => import('./outside-shell.tsx').then((module) => ({ default: module.OutsideShell })))
const AppShell = laterComponent(shell, (module) => module.AppShell)

/** Decides what to render: spinner, redirect, a page alone or inside the shell. */
export function Frame({ routes, notFound: NotFound }: { routes: readonly Screen[]; notFound: Screen['page'] }) {
  const session = useSession()
  const location = useLocation()
  const path = trimmedPath(location.pathname)
  // While the session is loading, it is unknown who the user is, so assume all screens exist.
  const platformAdmin = session.loading || session.platformAdmin
  const screens = useMemo(() => screensFor(routes, { platformAdmin }), [routes, platformAdmin])
  const match = matchRoute(screens, path)
  const { title, crumbs } = routeTitle(match)
  const crumbKey = JSON.stringify(crumbs)

  useLayoutEffect(() => setRouteTitle(title, parseOwnJson<typeof crumbs>(crumbKey)), [title, crumbKey])
  const redirect = session.loading ? null : gate(session, path, match?.route, location.search)
  const isAllowed = (session.loading || session.user !== null) && redirect === null
  const route = isAllowed ? match?.route : undefined
  useEffect(() => {
    // Shell and page in parallel, even while the session loads.
    if (route) void preloadScreen(route)
  }, [route])

  // People type the plural.
  const singular = path.replace(/^\/(site|server|user)s(?=\/|$)/, '/$1')
  if (singular !== path) return <Navigate replace to={singular + location.search + location.hash} />
  if (session.loading) return <ScreenSpinner />
  if (session.unreachable instanceof PartMissing)
    return (
      <LazyBoundary level="screen" at={path}>
        <Suspense fallback={<ScreenSpinner />}>
          <Unreachable error={session.unreachable} onRetry={session.refresh} />
        </Suspense>
      </LazyBoundary>
    )

  if (redirect) {
    const given = (location.state as RedirectState | null)?.reason
    // The server answers again: back to where the user came from.
    if (path === '/login' && given === 'no_answer' && session.user !== null)
      return <Navigate replace to={safeNext(new URLSearchParams(location.search).get('next')) ?? '/'} />
    let { reason } = redirect
    if (redirect.to === '/login') {
      if (session.unreachable) reason = 'no_answer'
      // A user whose session ended gets that reason instead of "login needed".
      else if (given === 'session_ended') reason = given
    }
    return <Redirect to={redirect.to} reason={reason} from={location} />
  }

  // Platform admins may have no organization, but what they can open is inside the shell anyway.
  const canUseShell = session.organization !== null || session.platformAdmin
  const inShell = session.user !== null && canUseShell && (match?.route.layout ?? 'shell') === 'shell'
  const Page = match?.route.page ?? NotFound
  const pages = (
    <>
      <PathParams value={match?.params ?? {}}>
        <Page key={match?.route.path ?? ''} />
      </PathParams>
      <RouteArrival key={path} form={match?.route.form} />
    </>
  )
  return (
    <LazyBoundary level="screen" at={path}>
      <Suspense fallback={<ScreenSpinner />}>
        {inShell ? (
          <AppShell routes={screens}>{pages}</AppShell>
        ) : (
          <StrictMode>
            <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-3">
              {t('shell.skip')}
            </a>
            {pages}
          </StrictMode>
        )}
      </Suspense>
      {session.user !== null && !inShell && (
        <LazyBoundary level="toast">
          <Suspense fallback={null}>
            <OutsideShell />
          </Suspense>
        </LazyBoundary>
      )}
    </LazyBoundary>
  )
}

/** Redirects; the login page also gets the location to return to. */
function Redirect({
  to,
  reason,
  from,
}: {
  to: string
  reason: string | null
  from: { pathname: string; search: string; hash: string }
}) {
  const back = `${from.pathname}${from.search}${from.hash}`
  const search = to === '/login' && from.pathname !== '/' ? `?next=${encodeURIComponent(back)}` : ''
  return <Navigate replace to={to + search} state={reason ? { reason } : null} />
}
