import type { InstalledCertificate, IssuedKind } from '#shared/rules/site-certificates.ts'
import type { LocalizedMessage } from '#shared/localized-message.ts'
import type { SiteRef } from './site-ref.ts'

/** A certificate with its key, both PEM; issuers of the certificate follow it. */
export interface CertificatePair {
  readonly certificate: string
  /** Secret. */
  readonly key: string
}

/** The certificate of a site. */
export interface EngineCertificate extends InstalledCertificate {
  /** Why this server cannot change it; null: it can. */
  readonly fixed: LocalizedMessage | null
}

/** How a certificate is changed. */
export interface CertificateChange {
  readonly signal?: AbortSignal
  log?(line: string): void
}

/** Certificates of sites. What `read` says is what the server has, not what it was told. */
export interface SiteCertificates {
  read(site: SiteRef, signal?: AbortSignal): Promise<EngineCertificate>
  /**
   * Gets a certificate of a kind, or (null) serves the site without TLS; addresses in WordPress follow. Repeating it is no error. If no
   * certificate comes, the site is served as before, and EngineError `unavailable` says why. Throws EngineError `conflict` where the
   * server can't change it.
   */
  change(site: SiteRef, to: IssuedKind | null, options?: CertificateChange): Promise<void>
  /**
   * Serves the site with this certificate, which was checked to belong to the key and the site. The key is never logged. If the server does
   * not take it, EngineError `unavailable` says so, and the certificate before is back, or a self-signed one if the server cannot go back.
   */
  install(site: SiteRef, pair: CertificatePair, options?: CertificateChange): Promise<void>
}
