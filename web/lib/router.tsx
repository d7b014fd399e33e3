import {
  createContext,
  startTransition,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useState,
  type ComponentProps,
  type ReactNode,
} from 'react'
import {
  browserHistory,
  memoryHistory,
  pathText,
  resolve,
  withBase,
  type History,
  type Location,
  type To,
} from './history.ts'

/**
 * The router of the app: which screen stands where is in the table of `routes.ts`; here is the address, and the ways to
 * another one. Our own, because the table is flat: the router we had brought nesting, data loading and a framework's
 * prefetching along, 17 kB on every page (docs/decisions).
 */

interface Place {
  history: History
  location: Location
}

const PlaceContext = createContext<Place | null>(null)

/** Who is asked to go to places: for what stops them (`leave-guards.ts`). */
export function useNavigator(): History['navigator'] {
  return usePlace().history.navigator
}

function usePlace(): Place {
  const place = useContext(PlaceContext)
  if (!place) throw new Error('Links and addresses need a router above them')
  return place
}

function Router({ history, children }: { history: History; children: ReactNode }) {
  const [location, setLocation] = useState(history.location)
  useLayoutEffect(() => {
    // As a transition: the old screen stays until the code of the new one is here.
    const follow = () => startTransition(() => setLocation(history.location()))
    const stop = history.listen(follow)
    // Gone elsewhere while this was drawn for the first time.
    follow()
    return stop
  }, [history])
  const place = useMemo(() => ({ history, location }), [history, location])
  return <PlaceContext value={place}>{children}</PlaceContext>
}

/** The router on the browser's own history, for an app below `basename`. */
export function BrowserRouter({ basename = '', children }: { basename?: string; children: ReactNode }) {
  const [history] = useState(() => browserHistory(basename))
  return <Router history={history}>{children}</Router>
}

/** The router on a history of its own: tests draw parts of a page with it. */
export function MemoryRouter({ initialEntries = ['/'], children }: { initialEntries?: string[]; children: ReactNode }) {
  const [history] = useState(() => memoryHistory(initialEntries.at(-1) ?? '/'))
  return <Router history={history}>{children}</Router>
}

/** Where one is, below the app's path. */
export function useLocation(): Location {
  return usePlace().location
}

/** How to go: `replace` takes the present step of the history, `state` goes along. */
export interface NavigateOptions {
  replace?: boolean
  state?: unknown
}

/** Goes to an address, or so many steps back or on. */
export interface Go {
  (to: To, options?: NavigateOptions): void
  (steps: number): void
}

/** The function that goes; the same one for ever. */
export function useNavigate(): Go {
  const { history } = usePlace()
  return useCallback(
    (to: To | number, { replace = false, state }: NavigateOptions = {}) => {
      const { navigator } = history
      if (typeof to === 'number') {
        navigator.go(to)
        return
      }
      const path = withBase(history.base, resolve(to, history.location()))
      if (replace) navigator.replace(path, state)
      else navigator.push(path, state)
    },
    [history],
  )
}

/** Goes as soon as it is drawn, unless somebody has gone on from there already. */
export function Navigate({ to, replace = false, state }: { to: To } & NavigateOptions) {
  const { history, location } = usePlace()
  const navigate = useNavigate()
  const where = typeof to === 'string' ? to : pathText(to)
  // Once for each place: what goes along is a new object at each drawing.
  const go = useEffectEvent((place: string) => {
    // What is drawn follows the address a moment later: a screen that was left must not call the person back from there.
    if (history.location().key === location.key) navigate(place, { replace, state })
  })
  useEffect(() => go(where), [where])
  return null
}

/** The search part of the address, and a function that sets it (a function gets the present one); the open tab stays. */
export function useSearchParams(): [
  URLSearchParams,
  (next: URLSearchParams | ((current: URLSearchParams) => URLSearchParams), options?: NavigateOptions) => void,
] {
  const { history, location } = usePlace()
  const navigate = useNavigate()
  const params = useMemo(() => new URLSearchParams(location.search), [location.search])
  const setParams = useCallback(
    (next: URLSearchParams | ((current: URLSearchParams) => URLSearchParams), options?: NavigateOptions) => {
      const { search, hash } = history.location()
      const params = typeof next === 'function' ? next(new URLSearchParams(search)) : next
      navigate({ search: params.toString(), hash }, options)
    },
    [history, navigate],
  )
  return [params, setParams]
}

/** Addresses outside the app. What names another scheme runs something, and is taken for a path that leads nowhere. */
const elsewhere = /^(?:https?:|mailto:|\/\/)/i

/** The address of `to` as the browser knows it. */
export function useHref(to: To): string {
  const { history, location } = usePlace()
  if (typeof to === 'string' && elsewhere.test(to)) return to
  return pathText(withBase(history.base, resolve(to, location)))
}

/** What a link is given: where it leads and the props of a native link. */
export interface LinkProps extends Omit<ComponentProps<'a'>, 'href'>, NavigateOptions {
  to: To
}

/** A link inside the app. With a key held, another button or another target the browser follows it by itself. */
export function Link({ to, replace, state, onClick, children, ...props }: LinkProps) {
  const { history } = usePlace()
  const navigate = useNavigate()
  const href = useHref(to)
  return (
    <a
      {...props}
      href={href}
      onClick={(event) => {
        onClick?.(event)
        if (event.defaultPrevented || event.button !== 0) return
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        if ((props.target && props.target !== '_self') || props.download !== undefined) return
        if (typeof to === 'string' && elsewhere.test(to)) return
        event.preventDefault()
        // A link to where one is makes no second step of it.
        const same = href === pathText(withBase(history.base, history.location()))
        navigate(to, { replace: replace ?? same, state })
      }}
    >
      {children}
    </a>
  )
}
