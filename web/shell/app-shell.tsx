import { StrictMode, Suspense, useEffect, useState, type ReactNode } from 'react'
import { useLocation, useSearchParams } from '#web/lib/router.tsx'
import { useOpenJob } from '#web/documents/job-link.ts'
import { sayLimit, useSaidLimit } from '#web/documents/limit-question.ts'
import { useUndoOffers } from '#web/documents/undo-store.ts'
import { fetchAhead, fetched, whenIdle } from '#web/lib/code.ts'
import { useSecondLine } from '#web/lib/second-line.ts'
import { FrappeProvider } from '#web/lib/frappe.tsx'
import { t } from '#web/lib/messages.ts'
import { useOpenWithCode } from '#web/lib/open-code.ts'
import { trimmedPath, type Route } from '#web/lib/routes.ts'
import { useSession } from '#web/lib/session.tsx'
import { showToast } from '#web/lib/toasts.ts'
import { useConnected } from '#web/lib/use-events.ts'
import { useSingleKeys } from '#web/lib/use-single-keys.ts'
import { CodeBoundary } from '#web/ui/code-boundary.tsx'
import { RedirectReason } from '#web/ui/redirect-reason.tsx'
import { ToastArea } from '#web/ui/toast-area.tsx'
import { BannerLine } from './banner.tsx'
import { PageSkeleton } from './page-skeleton.tsx'
import { ScreensProvider } from './screens.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'
import { TourGuide } from './tour-guide.tsx'
import { useOrganizationWatch } from './use-organization-watch.ts'
import { useRememberVisits } from './use-remember-visits.ts'
import { useEarlyText, useSearch } from './use-search.ts'
import { useShellKeys } from './use-shell-keys.ts'
import { useSidebar } from './use-sidebar.ts'

// What most visits never open is fetched when the page has come to rest.
const JobDrawer = fetched(() => import('#web/documents/job-drawer.tsx').then((module) => module.JobDrawer))
const PlanLimitDialog = fetched(() =>
  import('#web/documents/plan-limit-dialog.tsx').then((module) => module.PlanLimitDialog),
)
const UndoOffers = fetched(() => import('#web/documents/undo-offers.tsx').then((module) => module.UndoOffers))
const HelpDialog = fetched(() => import('./help-dialog.tsx').then((module) => module.HelpDialog))
const GlobalSearch = fetched(() => import('./search/global-search.tsx').then((module) => module.GlobalSearch))
const OrganizationSwitched = fetched(() =>
  import('./organization-switched.tsx').then((module) => module.OrganizationSwitched),
)
const NavDrawer = fetched(() => import('./nav-drawer.tsx').then((module) => module.NavDrawer))

/** Everything around a signed-in page: data layer, sidebar, top bar, toasts, job drawer. */
export function AppShell({ routes, children }: { routes: readonly Route[]; children: ReactNode }) {
  const { organization } = useSession()
  // Strict mode inside the provider: outside it, development would open two sockets.
  return (
    <FrappeProvider key={organization?.name ?? ''}>
      <StrictMode>
        <ScreensProvider routes={routes}>
          <ShellLayout>{children}</ShellLayout>
        </ScreensProvider>
      </StrictMode>
    </FrappeProvider>
  )
}

function ShellLayout({ children }: { children: ReactNode }) {
  const path = trimmedPath(useLocation().pathname)
  const sidebar = useSidebar()
  const search = useSearch()
  const help = useShellKeys({ toggleSidebar: sidebar.toggle, search: search.call })
  const drawerReady = useOpenWithCode([NavDrawer], sidebar.drawerOpen, sidebar.setDrawerOpen)
  const helpReady = useOpenWithCode([HelpDialog], help.open, help.setOpen)
  const searchReady = useOpenWithCode([GlobalSearch], search.open, search.setOpen)
  const earlyText = useEarlyText(search.open && !searchReady, search.open)
  useProblems()
  useRememberVisits()
  // Reads what the account says; the keys ask for it at each press.
  useSingleKeys()
  useFetchAhead()

  return (
    <div className="flex min-h-dvh">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-ctl focus:bg-raised focus:px-3 focus:py-2 focus:shadow-pop"
      >
        {t('shell.skip')}
      </a>
      {!sidebar.phone && <Sidebar expanded={sidebar.expanded} onHelp={() => help.setOpen(true)} />}
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar
          sidebar={sidebar}
          search={search}
          onSearchNear={() => void GlobalSearch.load().catch(() => undefined)}
        />
        <BannerLine />
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto w-full max-w-[1440px] min-w-0 flex-1 px-8 pt-6 pb-12 outline-none max-xl:px-6 max-md:px-4 max-md:pt-4 max-md:pb-24"
        >
          <RedirectReason />
          <CodeBoundary level="page" at={path}>
            <Suspense fallback={<PageSkeleton />}>{children}</Suspense>
          </CodeBoundary>
        </main>
      </div>
      <OpenJob />
      <LimitQuestion />
      <TakingBack />
      <OtherOrganization />
      {drawerReady && (
        <NavDrawer open={sidebar.drawerOpen} onOpenChange={sidebar.setDrawerOpen} onHelp={() => help.setOpen(true)} />
      )}
      {searchReady && (
        <GlobalSearch open={search.open} mode={search.mode} earlyText={earlyText} onOpenChange={search.setOpen} />
      )}
      {helpReady && <HelpDialog open={help.open} onOpenChange={help.setOpen} />}
      <ToastArea />
      <TourGuide />
    </div>
  )
}

/** The drawer of the job that the address names. */
function OpenJob() {
  const job = useSearchParams()[0].get('job')
  const openJob = useOpenJob()
  const ready = useOpenWithCode([JobDrawer], job !== null, (wanted) => openJob(wanted ? job : null))
  return ready && job !== null && <JobDrawer />
}

/** Why nothing can be created, wherever that was wanted. */
function LimitQuestion() {
  const said = useSaidLimit()
  // It still has something to say while it goes away.
  const [last, setLast] = useState(said)
  if (said !== null && said !== last) setLast(said)
  const ready = useOpenWithCode([PlanLimitDialog], said !== null, (wanted) => sayLimit(wanted ? last : null))
  return (
    ready &&
    last !== null && (
      <PlanLimitDialog resource={last} open={said !== null} onOpenChange={(open) => sayLimit(open ? last : null)} />
    )
  )
}

/** What to do when the person switched to another organization elsewhere. */
function OtherOrganization() {
  const elsewhere = useOrganizationWatch()
  const ready = useOpenWithCode([OrganizationSwitched], elsewhere !== null, () => undefined)
  return ready && elsewhere !== null && <OrganizationSwitched to={elsewhere} />
}

/** Jobs of this tab that can be taken back once they are done. */
function TakingBack() {
  const ready = useOpenWithCode([UndoOffers], useUndoOffers().length > 0, () => undefined)
  return ready && <UndoOffers />
}

/** What could not be read at start is said once, in the specification's words. */
function useProblems(): void {
  const { problems } = useSession()
  useEffect(() => {
    for (const { title, message } of problems) showToast({ title, description: message, variant: 'danger' })
  }, [problems])
}

/**
 * Fetches the code of what can be opened from here when the browser is idle: later nothing waits for it or fails without
 * network. Tried again whenever the connection comes back.
 */
function useFetchAhead(): void {
  const connected = useConnected()
  const turn = useSecondLine()
  useEffect(() => (turn ? whenIdle(fetchAhead) : undefined), [connected, turn])
}
