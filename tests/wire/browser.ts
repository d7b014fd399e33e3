/** A browser as seen by the server: keeps cookies, sends its origin, knows the page's CSRF token. */
import { FrappeApp } from 'frappe-js-sdk'

/** Shape of an SDK error. */
export interface SdkError {
  httpStatus: number
  httpStatusText: string
  message: string
  exception: string
  exc_type?: string
  _server_messages?: string
  [key: string]: unknown
}

/** A browser with its SDK client. */
export interface Browser {
  /** The real SDK, with this browser's cookies and token. */
  readonly app: FrappeApp
  readonly cookies: Map<string, string>
  csrfToken: string | null
  /** `Cookie` header of the next request. */
  cookieHeader(): string
  /** A request as the page would send it; cookies are stored, redirects are not followed. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Loads the app's page and reads the CSRF token from it, like a reload. */
  loadPage(path?: string): Promise<string>
}

/** Creates a browser for the dashboard at an origin. */
export function createBrowser(url: string): Browser {
  const cookies = new Map<string, string>()
  const app = new FrappeApp(url)
  const browser: Browser = {
    app,
    cookies,
    csrfToken: null,
    cookieHeader: () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    async fetch(path, init = {}) {
      const headers = new Headers(init.headers)
      if (cookies.size > 0 && !headers.has('cookie')) headers.set('cookie', browser.cookieHeader())
      const response = await fetch(new URL(path, url), { redirect: 'manual', ...init, headers })
      keep(cookies, response.headers.getSetCookie())
      return response
    },
    async loadPage(path = '/web') {
      const html = await (await browser.fetch(path, { headers: { accept: 'text/html' } })).text()
      browser.csrfToken = /window\.csrf_token = "([^"]*)"/.exec(html)?.[1] ?? null
      return html
    },
  }
  app.axios.interceptors.request.use((config) => {
    if (cookies.size > 0) config.headers.set('Cookie', browser.cookieHeader())
    config.headers.set('Origin', url)
    if (browser.csrfToken) config.headers.set('X-Frappe-CSRF-Token', browser.csrfToken)
    return config
  })
  app.axios.interceptors.response.use(
    (response) => {
      keep(cookies, response.headers['set-cookie'] ?? [])
      return response
    },
    (error: { response?: { headers: Record<string, unknown> } }) => {
      keep(cookies, (error.response?.headers['set-cookie'] as string[] | undefined) ?? [])
      // eslint-disable-next-line typescript/prefer-promise-reject-errors -- the client's own error goes on to the client
      return Promise.reject(error)
    },
  )
  return browser
}

/** Stores the cookies of a response and removes expired ones. */
function keep(cookies: Map<string, string>, lines: readonly string[]): void {
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (/max-age=0(?:;|$)/i.test(line)) cookies.delete(name)
    else cookies.set(name, value)
  }
}

/** The error thrown by an SDK call. */
export async function sdkError(call: Promise<unknown>): Promise<SdkError> {
  try {
    await call
  } catch (error) {
    return error as SdkError
  }
  throw new Error('The call succeeded.')
}
