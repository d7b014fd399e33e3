import { lazy, StrictMode, Suspense, useEffect, useState, type CSSProperties, type ReactNode } from 'react'
import { useLocation } from 'react-router'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { showLimit, useLimitNotice } from '#web/documents/actions/limit-notice.ts'
import { FrappeProvider } from '#web/lib/api/frappe.tsx'
import { loadForms } from '#web/documents/later-forms.tsx'
import { useLoadLater } from '#web/lib/events/use-load-later.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { useFirstScreen } from '#web/lib/routing/first-screen.ts'
import { trimmedPath, type Route } from '#web/lib/routing/route-match.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { once } from '#web/lib/browser/once.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useSingleKeys } from '#web/lib/browser/use-single-keys.ts'
import { LazyBoundary } from '#web/ui/lazy-boundary.tsx'
import { PageBoundary } from './page-boundary.tsx'
import { RedirectReason } from '#web/features/public/redirect-reason.tsx'
import { layers } from '#web/ui/overlay/later-layers.ts'
import { LazyOverlay } from '#web/ui/overlay/lazy-overlay.tsx'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { BannerLine } from '../banners/banner.tsx'
import { NavDrawer } from './nav-drawer.tsx'
import { BulkEnds } from '../bulk-ends.tsx'
import { JobEnds } from '../job-ends.tsx'
import { OrganizationSwitched } from '../organization/organization-switched.tsx'
import { PageSkeleton } from './page-skeleton.tsx'
import { ScreensProvider } from './screens.tsx'
import { Sidebar } from './sidebar.tsx'
import type { AppHandlers } from '../search/app-commands.tsx'
import { BackLink } from '../top-bar/breadcrumb.tsx'
import { TopBar } from '../top-bar/top-bar.tsx'
import { TourGuide } from '../tour-guide.tsx'
import { useOrganizationWatch } from '../organization/use-organization-watch.ts'
import { useRememberVisits } from './use-remember-visits.ts'
import { callSearch, useSearch } from '../use-search.ts'
import { useShellKeys } from '../use-shell-keys.ts'
import { useSidebar } from './use-sidebar.ts'

// Lazy, with the log view; most visits never open it.
const JobDrawer = lazy(() => import('./job-overlay.tsx').then((module) => ({ default: module.JobOverlay })))

/** Lazy, and loaded as soon as the page has its data, so that it opens at once. */
const loadSearch = once(() => import('../search/global-search.tsx'))
const GlobalSearch = lazy(() => loadSearch().then((module) => ({ default: module.GlobalSearch })))

// Lazy, with the texts of the tours: most visits never open it.
const HelpDialog = lazy(() => import('../top-bar/help-dialog.tsx').then((module) => ({ default: module.HelpDialog })))

// Lazy: only users at a plan limit see it.
const PlanLimitDialog = lazy(() =>
  import('#web/features/plans/plan-limit-dialog.tsx').then((module) => ({ default: module.PlanLimitDialog })),
)

/** Everything around a signed-in page: data layer, sidebar, top bar, toasts, job drawer. */
export function AppShell({ routes, children }: { routes: readonly Route[]; children: ReactNode }) {
  const { organization } = useSession()
  // Strict mode is inside the provider, because otherwise development would open two sockets.
  return (
    <FrappeProvider key={organization?.name ?? ''}>
      <StrictMode>
        <ScreensProvider routes={routes}>
          <TooltipProvider>
            <ShellLayout>{children}</ShellLayout>
          </TooltipProvider>
        </ScreensProvider>
      </StrictMode>
    </FrappeProvider>
  )
}

function ShellLayout({ children }: { children: ReactNode }) {
  const path = trimmedPath(useLocation().pathname)
  const sidebar = useSidebar()
  const help = useShellKeys({ toggleSidebar: sidebar.toggle, search: callSearch })
  useProblems()
  useRememberVisits()
  useLoadLater(layers.load)
  useLoadLater(loadSearch)
  useLoadLater(loadForms)
  // Loads the account's preference, which shortcuts check on each key press.
  useSingleKeys()

  return (
    // What stays at the lower edge of the window is centered beside the sidebar.
    <div
      className="flex min-h-dvh"
      style={{ '--sidebar': sidebar.phone ? '0px' : sidebar.expanded ? '18rem' : '3rem' } as CSSProperties}
    >
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-ctl focus:bg-raised focus:px-3 focus:py-2 focus:shadow-pop"
      >
        {t('shell.skip')}
      </a>
      {!sidebar.phone && <Sidebar expanded={sidebar.expanded} onHelp={() => help.setOpen(true)} />}
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar sidebar={sidebar} />
        <BannerLine />
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto w-full max-w-[1440px] min-w-0 flex-1 px-8 pt-6 pb-12 outline-none max-xl:px-6 max-md:px-4 max-md:pt-4 max-md:pb-24"
        >
          <BackLink />
          <RedirectReason />
          <LazyBoundary level="page" at={path}>
            <Suspense fallback={<PageSkeleton />}>
              <OnceHere path={path}>
                <PageBoundary at={path}>{children}</PageBoundary>
                {/* Mounted after the page it points at. */}
                <TourGuide />
              </OnceHere>
            </Suspense>
          </LazyBoundary>
        </main>
      </div>
      <OpenJob />
      <LimitQuestion />
      <JobEnds />
      <BulkEnds />
      <OtherOrganization />
      <NavDrawer open={sidebar.drawerOpen} onOpenChange={sidebar.setDrawerOpen} onHelp={() => help.setOpen(true)} />
      <Search app={{ help: () => help.setOpen(true), toggleSidebar: sidebar.toggle }} />
      <LazyOverlay open={help.open}>
        <HelpDialog open={help.open} onOpenChange={help.setOpen} />
      </LazyOverlay>
      <ToastArea />
    </div>
  )
}

/** The page, once it can be drawn; the shell is not drawn again for it. One that the user went to meanwhile does not wait. */
function OnceHere({ path, children }: { path: string; children: ReactNode }) {
  const [opened] = useState(path)
  return useFirstScreen() || path !== opened ? children : <PageSkeleton />
}

/** The search, which opens and closes without the rest of the shell. */
function Search({ app }: { app: AppHandlers }) {
  const { open, mode, setOpen } = useSearch(loadSearch)
  return (
    <LazyOverlay open={open} at={String(open)}>
      <GlobalSearch open={open} mode={mode} app={app} onOpenChange={setOpen} />
    </LazyOverlay>
  )
}

/** The drawer of the job in the URL. */
function OpenJob() {
  const job = useSearchParams()[0].get('job')
  return (
    <LazyOverlay open={job !== null} at={job ?? ''}>
      <JobDrawer />
    </LazyOverlay>
  )
}

/** Dialog that explains why nothing more can be created. */
function LimitQuestion() {
  const limit = useLimitNotice()
  // Keeps the last content during the exit animation.
  const [last, setLast] = useState(limit)
  if (limit !== null && limit !== last) setLast(limit)
  return (
    <LazyOverlay open={limit !== null} at={last ?? ''}>
      {last !== null && (
        <PlanLimitDialog resource={last} open={limit !== null} onOpenChange={(open) => showLimit(open ? last : null)} />
      )}
    </LazyOverlay>
  )
}

/** Handles a switch to another organization in another tab or browser. */
function OtherOrganization() {
  const elsewhere = useOrganizationWatch()
  return elsewhere !== null && <OrganizationSwitched to={elsewhere} />
}

/** Shows a toast for each part of the session that could not be read, with its fixed title. */
function useProblems(): void {
  const { problems } = useSession()
  useEffect(() => {
    for (const { title, message } of problems) showToast({ title, description: message, variant: 'danger' })
  }, [problems])
}
