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
 * The app on react-router: which screen a path is stands in the table of `routes.ts`, so the router has one route for all.
 * What is here are rules that react-router does not keep (decision 34).
 */

const Page = createContext<ReactNode>(null)

/** The address as it is now. What is rendered follows a moment later, as a transition. Null outside of `AppRouter`. */
const CurrentLocation = createContext<(() => Location) | null>(null)

function CurrentPage() {
  return useContext(Page)
}

/** The router on the browser's own history, for an app below `basename`. Created once, outside of React. */
export function createAppRouter(basename: string) {
  return createBrowserRouter([{ path: '*', element: <CurrentPage /> }], { basename })
}

/** Everything that navigates stands below this. */
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

/** Addresses outside the app. What names another scheme runs something, and is taken for a path that leads nowhere. */
const elsewhere = /^(?:https?:|mailto:|\/\/)/i
const anyScheme = /^[a-z][a-z\d+.-]*:/i

/** What a link is given: where it leads and the props of a native link. */
export type LinkProps = Omit<RouterLinkProps, 'discover' | 'prefetch' | 'reloadDocument' | 'relative' | 'mask'>

/** A link inside the app. With a key held, another button, another target or a download the browser follows it by itself. */
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

/** Navigates as soon as it is rendered, once for each address, unless the person has gone on from there already. */
export function Navigate({ to, replace, state }: { to: To } & Pick<NavigateOptions, 'replace' | 'state'>) {
  const location = useLocation()
  const navigate = useNavigate()
  const current = useContext(CurrentLocation)
  const where = typeof to === 'string' ? to : createPath(to)
  const gone = useRef<string | null>(null)
  // What goes along is a new object at each rendering.
  const go = useEffectEvent((path: string) => {
    // A screen that was left must not call the person back from where they are. When only the query was changed meanwhile,
    // the next rendering goes.
    if (gone.current === path || (current !== null && current().key !== location.key)) return
    gone.current = path
    void navigate(path, { replace, state })
  })
  useEffect(() => go(where), [where, location.key])
  return null
}

/** The search part of the address, and a function that sets it (a function gets the present one); the open tab stays. */
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
