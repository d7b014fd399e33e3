/** Whether the caller logs in with a second factor, as `easydash.api.two_factor.status` says. */
export interface FactorStatus {
  readonly enabled: boolean
  /** UTC; null while it is off. */
  readonly since: string | null
  readonly recovery_codes_left: number
}

/** A secret of `two_factor.begin`, which counts once a code of it was confirmed. */
export interface BegunFactor {
  /** Base32, to type into an app. */
  readonly secret: string
  /** What the QR code says. */
  readonly otpauth_url: string
  /** The QR code as path data of an SVG with the view box "0 0 size size". */
  readonly qr: { readonly size: number; readonly path: string }
}
