/** Where the certificate of a site comes from. EasyEngine's names. */
export const certificateKinds = ['le', 'self', 'inherit', 'custom'] as const

/** One of `certificateKinds`. */
export type CertificateKind = (typeof certificateKinds)[number]

/** Kinds that a server gets or makes by itself. */
export const issuedKinds = ['le', 'self', 'inherit'] as const

/** One of `issuedKinds`. */
export type IssuedKind = (typeof issuedKinds)[number]

/** Label of each kind. */
export const certificateKindLabels: Readonly<Record<CertificateKind, string>> = {
  le: 'Let’s Encrypt',
  self: 'Self-signed',
  inherit: 'Inherited from the parent domain',
  custom: 'Custom certificate',
}

/** What a certificate says of itself. Times in milliseconds since 1970. */
export interface CertificateFacts {
  readonly issuer: string
  /** Names it is for; `*.example.com` stands for all names with one more label. */
  readonly names: readonly string[]
  readonly from: number
  readonly until: number
}

/** The certificate of a site as its server has it. */
export interface InstalledCertificate {
  /** What the site is set to; null: it is served without TLS. */
  readonly kind: CertificateKind | null
  /** Null: there is none, whatever the kind says. */
  readonly certificate: CertificateFacts | null
}

/** What there is to say of a certificate. All but the first three keep browsers from showing the site. */
export const certificateStates = [
  'off',
  'valid',
  'ends_soon',
  'missing',
  'expired',
  'not_yet_valid',
  'other_name',
] as const

/** One of `certificateStates`. */
export type CertificateState = (typeof certificateStates)[number]

const dayMs = 86_400_000
/** EasyEngine renews certificates of Let's Encrypt once less is left of them. */
const renewalMs = 35 * dayMs
/** So long before its end, a certificate that should have been renewed, or that nobody renews, is a warning. */
const soonMs = 14 * dayMs

/** Whether one of the names of a certificate is that of a site. */
export function coversName(names: readonly string[], domain: string): boolean {
  const parent = domain.slice(domain.indexOf('.') + 1)
  return names.some((name) => name === domain || name === `*.${parent}`)
}

/** The state of the certificate of a site at a time. */
export function certificateState(
  { kind, certificate }: InstalledCertificate,
  domain: string,
  now: number,
): CertificateState {
  if (kind === null) return 'off'
  if (certificate === null) return 'missing'
  if (certificate.until <= now) return 'expired'
  if (certificate.from > now) return 'not_yet_valid'
  if (!coversName(certificate.names, domain)) return 'other_name'
  return certificate.until - now < soonMs ? 'ends_soon' : 'valid'
}

/** When a certificate is renewed without anybody's doing; null: nobody renews it. */
export const renewalOf = ({ kind, certificate }: InstalledCertificate): number | null =>
  kind === 'le' && certificate !== null ? certificate.until - renewalMs : null
