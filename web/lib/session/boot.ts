/** Facts the server writes into every page, before any request (`window.easydash`). */
export interface Boot {
  /** What the product calls itself (EASYDASH_PRODUCT_NAME). */
  product_name: string
  version: string
  /** `invite`: accounts only by invitation (EASYDASH_SIGNUP). */
  signup: 'open' | 'invite'
  /** False on a fresh installation: the first account needs the setup link. */
  has_accounts: boolean
  /** Whether mails leave the installation; else whoever runs it finds them in the outbox (SMTP_URL). */
  mail_server: boolean
  /** Public origin of the installation, no trailing slash. */
  url: string
  /** Address of local sites with `{slug}` in it, e.g. `http://{slug}.localhost:8080`; null when there are none. */
  local_sites_url: string | null
  /** The operator's own terms as plain text (EASYDASH_TERMS_FILE); null for the built-in ones. */
  terms: string | null
  /** The visitor's own address as the server sees it; null when it is not known. */
  ip: string | null
  /** The signed-in person's own answers, as the methods give them; null for guests. Read by load-session.ts alone. */
  session: Record<string, unknown> | null
}

declare global {
  interface Window {
    /** CSRF token of the cookie's session; frappe-js-sdk reads it before each request. */
    csrf_token?: string
    easydash?: Partial<Boot>
  }
}

/** The session's facts of this delivery of the page, once: afterwards they may be old. Null when they are another's. */
export function takeSessionFacts<Facts extends { user: string }>(user: string): Facts | null {
  const facts = window.easydash?.session as Facts | null | undefined
  if (window.easydash) window.easydash.session = null
  return facts?.user === user ? facts : null
}

/** The page's boot facts, with safe values where the server said nothing. */
export function boot(): Boot {
  return {
    product_name: 'Easydash',
    version: '',
    signup: 'open',
    has_accounts: true,
    mail_server: true,
    url: location.origin,
    local_sites_url: null,
    terms: null,
    ip: null,
    session: null,
    ...window.easydash,
  }
}
