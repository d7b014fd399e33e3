import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  type ReactNode,
} from 'react'
import {
  createBrowserRouter,
  createPath,
  RouterProvider,
  useLocation,
  useNavigate,
  type LinkProps as RouterLinkProps,
  type Location,
  type NavigateOptions,
  type To,
} from 'react-router'
import { Link as RouterLink } from 'react-router'

/**
 * The app on react-router. The route table in `routes.tsx` maps paths to screens, so the router itself has one catch-all
 * route. This file adds the rules that react-router doesn't have (docs/decisions/0034-react-router.md).
 */

const Page = createContext<ReactNode>(null)

/** Returns the current location. Rendering follows it a moment later, as a transition. Null outside of `AppRouter`. */
const CurrentLocation = createContext<(() => Location) | null>(null)

function CurrentPage() {
  return useContext(Page)
}

/** The router's number of the current history entry; null if the browser made the entry. */
function entryNumber(): number | null {
  const state: unknown = window.history.state
  return typeof state === 'object' && state !== null && 'idx' in state && typeof state.idx === 'number'
    ? state.idx
    : null
}

/**
 * Creates the router on the browser's history, for an app below `basename`. Call once, outside of React. An entry that the browser
 * made, because somebody changed the hash of the address by hand, gets the number that the router would have given it: without one
 * the router can't take the navigation back, and unsaved work would be lost.
 */
export function createAppRouter(basename: string) {
  let latest = 0
  const numberEntry = () => {
    if (entryNumber() === null) window.history.replaceState({ idx: latest + 1 }, '')
  }
  // Before the router's own listener.
  addEventListener('popstate', numberEntry)
  const router = createBrowserRouter([{ path: '*', element: <CurrentPage /> }], { basename })
  const remember = () => {
    latest = entryNumber() ?? latest
  }
  remember()
  router.subscribe(remember)
  const dispose = router.dispose.bind(router)
  // A copy would keep the state of now: the router's is a getter.
  return Object.assign(router, {
    dispose() {
      removeEventListener('popstate', numberEntry)
      dispose()
    },
  })
}

/** Provides the router. Everything that navigates must be inside. */
export function AppRouter({ router, children }: { router: ReturnType<typeof createAppRouter>; children: ReactNode }) {
  const current = useCallback(() => router.state.location, [router])
  return (
    <Page value={children}>
      <CurrentLocation value={current}>
        <RouterProvider router={router} />
      </CurrentLocation>
    </Page>
  )
}

/** External URLs. Other schemes, such as `javascript:`, could run code and are treated as unknown paths. */
const elsewhere = /^(?:https?:|mailto:|\/\/)/i
const anyScheme = /^[a-z][a-z\d+.-]*:/i

/** Target of a link and the props of a native link. */
export type LinkProps = Omit<RouterLinkProps, 'discover' | 'prefetch' | 'reloadDocument' | 'relative' | 'mask'>

/** A link inside the app. With a modifier key, another mouse button, a target or a download, the browser handles it. */
export function Link({ to, ...props }: LinkProps) {
  const runs = typeof to === 'string' && anyScheme.test(to) && !elsewhere.test(to)
  return (
    <RouterLink
      {...props}
      to={runs ? { pathname: `/${to}` } : to}
      discover="none"
      reloadDocument={props.download !== undefined}
    />
  )
}

/** Navigates when rendered, once per URL, unless the user has already navigated elsewhere. */
export function Navigate({ to, replace, state }: { to: To } & Pick<NavigateOptions, 'replace' | 'state'>) {
  const location = useLocation()
  const navigate = useNavigate()
  const current = useContext(CurrentLocation)
  const where = typeof to === 'string' ? to : createPath(to)
  const redirected = useRef<string | null>(null)
  // `state` and `replace` come from the latest render, where `state` is a new object each time.
  const go = useEffectEvent((path: string) => {
    // A screen the user has left must not navigate. If only the query changed in the meantime, the next render navigates.
    if (redirected.current === path || (current !== null && current().key !== location.key)) return
    redirected.current = path
    void navigate(path, { replace, state })
  })
  useEffect(() => go(where), [where, location.key])
  return null
}

/** The URL's search params and a setter (also takes a function of the current ones). The open tab in the hash stays. */
export function useSearchParams(): [
  URLSearchParams,
  (next: URLSearchParams | ((current: URLSearchParams) => URLSearchParams), options?: NavigateOptions) => void,
] {
  const location = useLocation()
  const navigate = useNavigate()
  const current = useContext(CurrentLocation)
  const params = useMemo(() => new URLSearchParams(location.search), [location.search])
  const setParams = useCallback(
    (next: URLSearchParams | ((present: URLSearchParams) => URLSearchParams), options?: NavigateOptions) => {
      const { search, hash } = current?.() ?? location
      const changed = typeof next === 'function' ? next(new URLSearchParams(search)) : next
      void navigate({ search: changed.toString(), hash }, options)
    },
    [current, location, navigate],
  )
  return [params, setParams]
}
