import { createRoot } from 'react-dom/client'
import { NavigationBlocker } from '#web/lib/routing/router-blocker.tsx'
import { AppRouter, createAppRouter } from '#web/lib/routing/router.tsx'
import { sessionSource } from '#web/lib/session/load-session.ts'
import { SessionProvider } from '#web/lib/session/session.tsx'
import { boot } from '#web/lib/session/boot.ts'
import { matchRoute, trimmedPath } from '#web/lib/routing/route-match.ts'
import { preloadScreen } from '#web/shell/frame/preload-screen.ts'
import { startTheme } from '#web/lib/browser/theme.ts'
import { watchEarlySearch } from '#web/lib/browser/typed-ahead.ts'
import { CrashPage } from '#web/pages/crash/crash-page.tsx'
import { CrashBoundary } from '#web/shell/frame/crash-boundary.tsx'
import { Frame } from '#web/shell/frame/frame.tsx'
import { NotFoundPage, routes } from './routes.tsx'

declare global {
  /** Read by the library that locks scrolling behind dialogs: its style element needs the page's nonce. */
  var __webpack_nonce__: string | undefined
}

globalThis.__webpack_nonce__ = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce
startTheme()

const basename = '/web'
// The code of a signed-in user's first screen arrives while React starts: on slow 4G, a third of a second earlier.
const arrival =
  boot().session === null ? null : matchRoute(routes, trimmedPath(location.pathname.slice(basename.length)))
if (arrival) {
  preloadScreen(arrival.route)
  if (arrival.route.layout === 'shell') watchEarlySearch()
}

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root, {
  // The boundaries report bugs themselves with `reportError`; code that failed to load isn't one.
  onCaughtError: () => undefined,
}).render(
  <AppRouter router={createAppRouter(basename)}>
    <CrashBoundary page={CrashPage}>
      <NavigationBlocker />
      <SessionProvider source={sessionSource}>
        <Frame routes={routes} notFound={NotFoundPage} />
      </SessionProvider>
    </CrashBoundary>
  </AppRouter>,
)
