import { lazy, StrictMode, Suspense, useEffect, useState, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { FrappeProvider } from '#web/lib/frappe.tsx'
import { t } from '#web/lib/messages.ts'
import type { Route } from '#web/lib/routes.ts'
import { useSession } from '#web/lib/session.tsx'
import { showToast, useToasts } from '#web/lib/toasts.ts'
import { RedirectReason } from '#web/ui/redirect-reason.tsx'
import { ScreenSpinner } from '#web/ui/screen-spinner.tsx'
import { OfflineBar } from './offline-bar.tsx'
import { PageSkeleton } from './page-skeleton.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'
import { useShellKeys } from './use-shell-keys.ts'
import { useSidebar } from './use-sidebar.ts'

const JobDrawer = lazy(() => import('#web/documents/job-drawer.tsx').then((module) => ({ default: module.JobDrawer })))

// What most visits never open is fetched when it is.
const HelpDialog = lazy(() => import('./help-dialog.tsx').then((module) => ({ default: module.HelpDialog })))
const NavDrawer = lazy(() => import('./nav-drawer.tsx').then((module) => ({ default: module.NavDrawer })))
const ToastArea = lazy(() => import('#web/ui/toast-area.tsx').then((module) => ({ default: module.ToastArea })))

/** Everything around a signed-in page: data layer, sidebar, top bar, toasts, job drawer. */
export function AppShell({ routes, children }: { routes: readonly Route[]; children: ReactNode }) {
  const { organization } = useSession()
  // Strict mode inside the provider: outside it, development would open two sockets.
  return (
    <FrappeProvider key={organization?.name ?? ''} waiting={<ScreenSpinner />}>
      <StrictMode>
        <ShellLayout routes={routes}>{children}</ShellLayout>
      </StrictMode>
    </FrappeProvider>
  )
}

function ShellLayout({ routes, children }: { routes: readonly Route[]; children: ReactNode }) {
  const sidebar = useSidebar()
  const help = useShellKeys(sidebar.toggle)
  const hasJob = useSearchParams()[0].has('job')
  const drawerSeen = useSeen(sidebar.drawerOpen)
  const helpSeen = useSeen(help.open)
  const toastSeen = useSeen(useToasts().current !== null)
  useProblems()
  usePreload(routes)

  return (
    <div className="flex min-h-dvh">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-ctl focus:bg-raised focus:px-3 focus:py-2 focus:shadow-pop"
      >
        {t('shell.skip')}
      </a>
      <Sidebar expanded={sidebar.expanded} onHelp={() => help.setOpen(true)} />
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar sidebar={sidebar} />
        <OfflineBar />
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto w-full max-w-[1440px] min-w-0 flex-1 px-8 pt-6 pb-12 outline-none max-xl:px-6 max-md:px-4 max-md:pt-4 max-md:pb-24"
        >
          <RedirectReason />
          <Suspense fallback={<PageSkeleton />}>{children}</Suspense>
        </main>
      </div>
      {hasJob && (
        <Suspense fallback={null}>
          <JobDrawer />
        </Suspense>
      )}
      <Suspense fallback={null}>
        {drawerSeen && (
          <NavDrawer open={sidebar.drawerOpen} onOpenChange={sidebar.setDrawerOpen} onHelp={() => help.setOpen(true)} />
        )}
        {helpSeen && <HelpDialog open={help.open} onOpenChange={help.setOpen} />}
        {toastSeen && <ToastArea />}
      </Suspense>
    </div>
  )
}

/** True from the first time on: what was opened once stays mounted, so that it can close with its motion. */
function useSeen(open: boolean): boolean {
  const [seen, setSeen] = useState(open)
  if (open && !seen) setSeen(true)
  return seen || open
}

/** What could not be read at start is said once, in the specification's words. */
function useProblems(): void {
  const { problems } = useSession()
  useEffect(() => {
    for (const { title, message } of problems) showToast({ title, description: message, variant: 'danger' })
  }, [problems])
}

/** Fetches the code of the screens when the browser is idle, so that going there shows nothing but the screen. */
function usePreload(routes: readonly Route[]): void {
  useEffect(() => {
    const load = (): void => {
      for (const route of routes) {
        // Failing here means failing there, where the page says so.
        if (route.layout === 'shell') route.preload().catch(() => undefined)
      }
    }
    const idle = window.requestIdleCallback as typeof requestIdleCallback | undefined
    if (!idle) {
      const timer = setTimeout(load, 2000)
      return () => clearTimeout(timer)
    }
    const handle = idle(load, { timeout: 5000 })
    return () => cancelIdleCallback(handle)
  }, [routes])
}
