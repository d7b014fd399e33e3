/**
 * A page of the dashboard's origin in happy-dom, running the unmodified frappe-react-sdk with the page's own cookies,
 * requests and sockets.
 */
import type * as SdkModule from 'frappe-react-sdk'
import { createElement, useContext, useEffect, type ComponentType, type Context, type ReactNode } from 'react'
import { Window } from 'happy-dom'
import { vi } from 'vitest'

/** The client under test. */
type Sdk = typeof SdkModule

/** A hook that runs in a mounted component. */
export interface Rendered<T> {
  /** The latest result of the hook. */
  current(): T
  /** Waits until the result satisfies the check, and returns it. */
  until(check: (value: T) => boolean): Promise<T>
  unmount(): void
}

/** A browser tab. */
export interface Page {
  readonly sdk: Sdk
  /** `document.cookie`, as visible to scripts. */
  cookies(): string
  /** Loads the app's page and reads its CSRF token, like a reload. */
  reload(): Promise<void>
  /** Runs a hook in a new FrappeProvider, with a socket if requested. */
  render<T>(hook: () => T, enableSocket?: boolean): Rendered<T>
  close(): Promise<void>
}

interface Closable {
  close(): void
}

interface ProbeProps<T> {
  hook: () => T
  context: Context<SdkModule.FrappeConfig | null>
  report: (value: T, socket: Closable | undefined) => void
}

/** The component that runs the hook. */
function Probe<T>({ hook: useHook, context, report }: ProbeProps<T>): null {
  const socket = useContext(context)?.socket
  const value = useHook()
  // SWR rerenders only for properties that were read during render.
  Object.values(value ?? {})
  useEffect(() => report(value, socket))
  return null
}

/** Browser globals the libraries expect. */
const borrowed = [
  'document',
  'navigator',
  'location',
  'XMLHttpRequest',
  'WebSocket',
  'FormData',
  'File',
  'Blob',
] as const

/**
 * Opens a tab. The libraries check their environment when they are loaded, so a test file opens a tab before using the
 * client, and only one.
 */
export async function openPage(origin: string): Promise<Page> {
  const window = new Window({ url: `${origin}/web` })
  const globals: Record<string, unknown> = { window }
  for (const name of borrowed) globals[name] = (window as unknown as Record<string, unknown>)[name]
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  const loaded = (await import('frappe-react-sdk')) as Sdk & { default?: Sdk }
  const sdk = loaded.default ?? loaded
  const { createRoot } = await import('react-dom/client')
  const cache = { provider: () => new Map(), dedupingInterval: 0, shouldRetryOnError: false }
  const Provider = sdk.FrappeProvider as ComponentType<Record<string, unknown> & { children?: ReactNode }>

  return {
    sdk,
    cookies: () => window.document.cookie,
    async reload() {
      const html = await (await window.fetch(`${origin}/web`)).text()
      Object.assign(window, { csrf_token: /window\.csrf_token = "([^"]*)"/.exec(html)?.[1] })
    },
    render<T>(hook: () => T, enableSocket = false): Rendered<T> {
      let latest: { value: T } | null = null
      let socket: Closable | undefined
      const container = window.document.createElement('div')
      const root = createRoot(container as unknown as Parameters<typeof createRoot>[0])
      // No `url`: the page's own origin, as the dashboard is deployed. The socket uses the same port.
      const props = { siteName: 'localhost', socketPort: window.location.port, swrConfig: cache, enableSocket }
      const report = (value: T, open: Closable | undefined) => {
        latest = { value }
        socket = open
      }
      root.render(createElement(Provider, props, createElement(Probe<T>, { hook, context: sdk.FrappeContext, report })))
      const current = (): T => {
        if (latest === null) throw new Error('The hook has not run yet.')
        return latest.value
      }
      return {
        current,
        until: (check) =>
          vi.waitFor(
            () => {
              const value = current()
              if (!check(value)) throw new Error(`Not yet: ${JSON.stringify(value)}`)
              return value
            },
            { timeout: 60_000, interval: 10 },
          ),
        unmount() {
          root.unmount()
          socket?.close()
        },
      }
    },
    close: () => window.happyDOM.close(),
  }
}
