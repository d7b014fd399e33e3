/**
 * Where the app is, and how it goes elsewhere: the browser's history below the app's own path. With `router.tsx` all
 * that a flat table of screens needs of a router.
 */

/** The parts of an address below the app's path. */
export interface Path {
  pathname: string
  /** With its `?`, or ''. */
  search: string
  /** With its `#`, or ''. */
  hash: string
}

/** Where one is. */
export interface Location extends Path {
  /** What the one who sent here gave along; survives a reload. */
  state: unknown
  /** Differs for each step of the history. */
  key: string
}

/** Where to go: an address that begins with `/`, `?` or `#`, or its parts. What is left out in front stays as it is. */
export type To = string | Partial<Path>

/** Goes to places; `to` has the app's path in front, as the browser knows it. */
export interface Navigator {
  push: (to: Partial<Path>, state?: unknown) => void
  replace: (to: Partial<Path>, state?: unknown) => void
  go: (steps: number) => void
  /** Asked before the browser's back or forward is followed: true when it is stopped. Whoever stops it sets it. */
  stops: ((event: PopStateEvent) => boolean) | null
}

/** The history the router listens to. */
export interface History {
  /** The app's path, without a slash at its end. */
  readonly base: string
  /** The same object until one goes elsewhere. */
  readonly location: () => Location
  readonly listen: (listener: () => void) => () => void
  readonly navigator: Navigator
}

const prefixed = (mark: string, part: string | undefined): string =>
  !part || part === mark ? '' : part.startsWith(mark) ? part : mark + part

/** The address `to` leads to from `here`. */
export function resolve(to: To, here: Path): Path {
  if (typeof to !== 'string') {
    const { pathname, search, hash } = to
    const path = pathname ? pathname.replace(/^(?!\/)/, '/') : here.pathname
    return { pathname: path, search: prefixed('?', search), hash: prefixed('#', hash) }
  }
  const [, pathname, search, hash] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(to) ?? []
  return resolve({ ...(pathname && { pathname }), ...(search && { search }), ...(hash && { hash }) }, here)
}

/** An address as text. */
export function pathText({ pathname = '', search = '', hash = '' }: Partial<Path>): string {
  return pathname + search + hash
}

/** The app's path in front of one below it; the app's own root has no slash at its end. */
export function withBase(base: string, path: Path): Path {
  return { ...path, pathname: path.pathname === '/' && base !== '' ? base : base + path.pathname }
}

function withoutBase(base: string, pathname: string): string {
  const inside = pathname === base || pathname.startsWith(`${base}/`)
  return (inside ? pathname.slice(base.length) : pathname) || '/'
}

/** What stands in the browser's state of each step: ours in `usr`, and the step's number for who stops a road. */
interface Step {
  usr: unknown
  key: string
  idx: number
}

function stepOf(state: unknown): Partial<Step> {
  return typeof state === 'object' && state !== null ? state : {}
}

/** Gives the present entry along what the page that is loaded next in its place shall know. */
export function keepForReload(state: unknown): void {
  history.replaceState({ ...stepOf(history.state), usr: state }, '')
}

const newKey = (): string => Math.random().toString(36).slice(2, 10)

/** The browser's own history, for an app below `base`. */
export function browserHistory(base: string): History {
  const listeners = new Set<() => void>()
  const read = (): Location => {
    const { usr = null, key = 'default' } = stepOf(history.state)
    const { pathname, search, hash } = window.location
    return { pathname: withoutBase(base, pathname), search, hash, state: usr, key }
  }
  let current = read()
  const arrive = (): void => {
    current = read()
    for (const listener of listeners) listener()
  }
  const number = (): number => stepOf(history.state).idx ?? 0
  const step = (usr: unknown, idx: number): Step => ({ usr, key: newKey(), idx })

  if (stepOf(history.state).idx === undefined) history.replaceState({ ...stepOf(history.state), idx: 0 }, '')
  const navigator: Navigator = {
    push: (to, state = null) => {
      history.pushState(step(state, number() + 1), '', pathText(to))
      arrive()
    },
    replace: (to, state = null) => {
      history.replaceState(step(state, number()), '', pathText(to))
      arrive()
    },
    go: (steps) => history.go(steps),
    stops: null,
  }
  // Asked here and not by a listener of its own: those of a window are called in the order they were added in.
  const popped = (event: PopStateEvent): void => {
    if (!navigator.stops?.(event)) arrive()
  }
  return {
    base,
    location: () => current,
    listen: (listener) => {
      if (listeners.size === 0) addEventListener('popstate', popped)
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) removeEventListener('popstate', popped)
      }
    },
    navigator,
  }
}

/** A history of its own, for tests of parts of a page. */
export function memoryHistory(entry: string): History {
  const listeners = new Set<() => void>()
  const start = { pathname: '/', search: '', hash: '' }
  const at = (to: To, state: unknown): Location => ({ ...resolve(to, start), state, key: newKey() })
  let steps = [at(entry, null)]
  let index = 0
  const arrive = (): void => {
    for (const listener of listeners) listener()
  }
  const current = (): Location => steps[index] ?? at(entry, null)
  return {
    base: '',
    location: current,
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    navigator: {
      push: (to, state = null) => {
        steps = [...steps.slice(0, index + 1), at(to, state)]
        index += 1
        arrive()
      },
      replace: (to, state = null) => {
        steps[index] = at(to, state)
        arrive()
      },
      go: (by) => {
        index = Math.min(Math.max(0, index + by), steps.length - 1)
        arrive()
      },
      stops: null,
    },
  }
}
