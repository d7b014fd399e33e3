import { parseAddress } from '../network/addresses.ts'

/** How the connection to a mail server is protected. */
export type SmtpSecurity = 'tls' | 'starttls' | 'none'

/** The settings of a mail server as given: one address, or its parts. */
export interface SmtpSettings {
  readonly smtpUrl: string | null
  readonly smtpHost: string | null
  readonly smtpPort: number | null
  readonly smtpUser: string | null
  readonly smtpPassword: string | null
  readonly smtpSecurity: SmtpSecurity | null
}

/** Ports that RFC 8314 and RFC 5321 name. */
const usualPort = { tls: 465, starttls: 587, none: 25 } as const

/**
 * The address of the mail server with how it is reached, and a sentence for each setting that does not go with another. Null
 * without a mail server. Emails go out unencrypted only where `SMTP_SECURITY` says so; to this machine itself they may.
 */
export function smtpAddress(given: SmtpSettings): {
  readonly url: string | null
  readonly problems: readonly string[]
} {
  const parts = partsOf(given)
  if (given.smtpUrl !== null) {
    if (parts.length > 0)
      return refused(`SMTP_URL and ${parts.join(' and ')} both name the mail server: keep one of them.`)
    const url = new URL(given.smtpUrl)
    const isTls = url.protocol === 'smtps:'
    if (given.smtpSecurity !== null && isTls !== (given.smtpSecurity === 'tls'))
      return refused(
        `SMTP_SECURITY is "${given.smtpSecurity}", but SMTP_URL begins with ${url.protocol}//: "tls" goes with smtps, "starttls" and "none" with smtp.`,
      )
    return { url: isTls ? given.smtpUrl : protectedUrl(url, given.smtpSecurity), problems: [] }
  }
  if (given.smtpHost === null) {
    const stray = [...parts, ...(given.smtpSecurity === null ? [] : ['SMTP_SECURITY'])]
    return stray.length === 0 ? { url: null, problems: [] } : refused(`${stray.join(' and ')} need SMTP_HOST.`)
  }
  if ((given.smtpUser === null) !== (given.smtpPassword === null))
    return refused('SMTP_USER and SMTP_PASSWORD belong together: set both, or none.')
  const security = given.smtpSecurity ?? (given.smtpPort === usualPort.tls ? 'tls' : 'starttls')
  const user = given.smtpUser === null ? '' : `${encoded(given.smtpUser)}:${encoded(given.smtpPassword ?? '')}@`
  const host = given.smtpHost.includes(':') ? `[${given.smtpHost}]` : given.smtpHost
  const at = `${user}${host}:${given.smtpPort ?? usualPort[security]}`
  return {
    url: security === 'tls' ? `smtps://${at}` : protectedUrl(new URL(`smtp://${at}`), given.smtpSecurity),
    problems: [],
  }
}

/** The signs in user name and password of an address that would end it there, each with how to write it. */
export function unencodedSigns(text: string): readonly string[] {
  const [, credentials = ''] = /^[a-z]+:\/\/(.*)@/is.exec(text) ?? []
  return [...new Set(credentials.match(/[/?#]/g))].map((sign) => `${sign} as ${encoded(sign)}`)
}

const refused = (problem: string) => ({ url: null, problems: [problem] })

const partsOf = (given: SmtpSettings): string[] => [
  ...(given.smtpHost === null ? [] : ['SMTP_HOST']),
  ...(given.smtpPort === null ? [] : ['SMTP_PORT']),
  ...(given.smtpUser === null ? [] : ['SMTP_USER']),
  ...(given.smtpPassword === null ? [] : ['SMTP_PASSWORD']),
]

/** Nodemailer otherwise takes TLS where the server offers it, which somebody in between can leave out. */
function protectedUrl(url: URL, security: SmtpSecurity | null): string {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isOwnMachine = host === 'localhost' || parseAddress(host)?.range() === 'loopback'
  if (security === 'none') url.searchParams.set('ignoreTLS', 'true')
  else if (security === 'starttls' || !isOwnMachine) url.searchParams.set('requireTLS', 'true')
  return url.href
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
