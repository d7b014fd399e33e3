import { createRoot } from 'react-dom/client'
import { NavigationBlocker } from '#web/lib/routing/router-blocker.tsx'
import { AppRouter, createAppRouter } from '#web/lib/routing/router.tsx'
import { sessionSource } from '#web/lib/session/load-session.ts'
import { SessionProvider } from '#web/lib/session/session.tsx'
import { boot } from '#web/lib/session/boot.ts'
import { matchRoute, trimmedPath } from '#web/lib/routing/route-match.ts'
import { preloadFirstScreen } from '#web/shell/frame/preload-screen.ts'
import { readEarly } from '#web/shell/frame/read-early.ts'
import { numberFormat } from '#web/lib/i18n/number-format.ts'
import { startTheme } from '#web/lib/browser/theme.ts'
import { watchEarlySearch } from '#web/lib/browser/typed-ahead.ts'
import { CrashPage } from '#web/pages/crash/crash-page.tsx'
import { CrashBoundary } from '#web/shell/frame/crash-boundary.tsx'
import { Frame } from '#web/shell/frame/frame.tsx'
import { NotFoundPage, routes } from './routes.tsx'

startTheme()

const basename = '/web'
const path = trimmedPath(location.pathname.slice(basename.length))
const arrival = boot().session === null ? null : matchRoute(routes, path)
if (arrival?.route.layout === 'shell') watchEarlySearch()
// Rendered once the code that it needs is here, until then the document shows that it loads.
if (arrival) {
  // The browser takes 20 ms for its first format, here while it waits for code and rows.
  const reading = readEarly(arrival.route, path, location.search).then(() => void numberFormat())
  await preloadFirstScreen(arrival.route, reading)
}

// The text does not wait for its font: on slow networks, its 30 kB would keep the code and the rows back.
void document.fonts.load('1rem Geist')
const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root, {
  // The boundaries report bugs themselves with `reportError`; code that failed to load isn't one.
  onCaughtError: () => undefined,
  // What React drew once more, because it failed at first, is a defect all the same.
  onRecoverableError: (error) => reportError(error instanceof Error ? (error.cause ?? error) : error),
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
