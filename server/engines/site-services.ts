import type { SiteRef } from './site-ref.ts'

/** Services of a server that a site uses, as they are now. */
export interface EngineServices {
  /** Pages are kept by the web server in front of all sites. */
  readonly proxyCache: boolean
  /** Emails of the site are kept for its developers instead of being delivered. */
  readonly mailCatcher: boolean
}

/** What a server can put around a site. Repeating a call is no error. */
export interface SiteServices {
  read(site: SiteRef): Promise<EngineServices>
  setProxyCache(site: SiteRef, isOn: boolean): Promise<void>
  /** Forgets the kept pages. Throws EngineError `conflict` if none are kept. */
  purgeProxyCache(site: SiteRef, signal?: AbortSignal): Promise<void>
  /** Throws EngineError `unsupported` for a site that cannot send email. */
  setMailCatcher(site: SiteRef, isOn: boolean): Promise<void>
}
