/** Data the server writes into every page, available before any request (`window.easydash`). */
export interface Boot {
  /** Product name (EASYDASH_PRODUCT_NAME). */
  product_name: string
  version: string
  /** `invite`: accounts by invitation only (EASYDASH_SIGNUP). */
  signup: 'open' | 'invite'
  /** False on a fresh installation: the first account needs the setup link. */
  has_accounts: boolean
  /** Whether members of some organization can log in through its login provider. */
  login_providers: boolean
  /** Whether the installation sends email; if not, the operator finds messages in the outbox (SMTP_URL). */
  mail_server: boolean
  /** Public origin of the installation, without a trailing slash. */
  url: string
  /** URL template of local sites, e.g. `http://{slug}.localhost:8080`; null if there are none. */
  local_sites_url: string | null
  /** The newest WordPress this installation knows; null if it has none. */
  wordpress_version: string | null
  /** That one came with the packages of the installation, and wordpress.org has a newer one that could not be downloaded yet. */
  wordpress_fallback: boolean
  /** The operator's own terms as plain text (EASYDASH_TERMS_FILE); null for the built-in ones. */
  terms: string | null
  /** The visitor's IP address as the server sees it; null if unknown. */
  ip: string | null
  /** The page may load the payment provider's script: only documents of the billing page may. */
  payment_script: boolean
  /** Preloaded responses of the signed-in user's session methods; null for guests. Only load-session.ts reads it. */
  session: Record<string, unknown> | null
}

declare global {
  interface Window {
    /** CSRF token of the cookie's session, read by frappe-js-sdk before each request. */
    csrf_token?: string
    easydash?: Partial<Boot>
  }
}

/** The session data preloaded with the page. Null if it belongs to another user. */
export function bootstrapDataOf<Data extends { user: string }>(user: string): Data | null {
  const data = window.easydash?.session as Data | null | undefined
  return data?.user === user ? data : null
}

/** Returns that data once, because it may be stale later. */
export function takeBootstrapData<Data extends { user: string }>(user: string): Data | null {
  const data = bootstrapDataOf<Data>(user)
  if (window.easydash) window.easydash.session = null
  return data
}

/** The page's boot data, with safe defaults for missing values. */
export function boot(): Boot {
  return {
    product_name: 'Easydash',
    version: '',
    signup: 'open',
    has_accounts: true,
    login_providers: false,
    mail_server: true,
    url: location.origin,
    local_sites_url: null,
    wordpress_version: null,
    wordpress_fallback: false,
    terms: null,
    ip: null,
    payment_script: false,
    session: null,
    ...window.easydash,
  }
}
