import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import type { SiteRow } from './database.ts'
import { EeError, textOption, type EeContext } from './ee-context.ts'
import { certificatesPath } from './layout.ts'
import { put, readIfThere, type Machine } from './machine.ts'
import { setting } from './settings.ts'
import { makeCertificate } from './x509.ts'

/** What a certificate says of itself. */
export interface Certificate {
  readonly commonName: string
  readonly issuer: string
  readonly from: string
  readonly till: string
  readonly serial: string
  readonly names: readonly string[]
}

const dayMs = 86_400_000
const timeText = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ')

/** Where a certificate lies, as EasyEngine says it. */
export const certificateFile = (name: string): string => `${certificatesPath}/${name}.crt`

const keyFile = (name: string): string => certificateFile(name).replace(/crt$/, 'key')

export function writeCertificate(
  machine: Machine,
  name: string,
  issuer: string,
  names: readonly string[],
  days = 90,
): void {
  const from = Date.now()
  const { certificate, key } = makeCertificate({ issuer, names, from, until: from + days * dayMs })
  put(machine.path(certificateFile(name)), certificate)
  put(machine.path(keyFile(name)), key)
}

/** Whether nginx takes all certificates: each has its key. */
export function areCertificatesValid(machine: Pick<Machine, 'path'>): boolean {
  const folder = machine.path(certificatesPath)
  if (!existsSync(folder)) return true
  const names = readdirSync(folder).flatMap((file) => /^(.+)\.crt$/.exec(file)?.[1] ?? [])
  return names.every((name) => {
    const pair = readKeyPair(machine, name)
    try {
      return pair !== null && new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key))
    } catch {
      // It is none.
      return false
    }
  })
}

/** Certificate and key as the proxy serves them; null without both. */
export function readKeyPair(machine: Pick<Machine, 'path'>, name: string): { cert: string; key: string } | null {
  const [cert, key] = [certificateFile(name), keyFile(name)].map((file) => readIfThere(machine.path(file)))
  return cert && key ? { cert, key } : null
}

export function readCertificate(machine: Pick<Machine, 'path'>, name: string): Certificate | null {
  const text = readIfThere(machine.path(certificateFile(name)))
  if (text === null) return null
  const { subject, issuer, validFromDate, validToDate, serialNumber, subjectAltName = '' } = new X509Certificate(text)
  const nameIn = (whole: string) => /^CN=(.*)$/m.exec(whole)?.[1] ?? ''
  return {
    commonName: nameIn(subject),
    issuer: nameIn(issuer),
    from: timeText(validFromDate),
    till: timeText(validToDate),
    serial: serialNumber,
    names: subjectAltName.split(', ').map((one) => one.replace(/^DNS:/, '')),
  }
}

/** Whether EasyEngine would issue a certificate: it looks at whatever the proxy has for the domain. */
export function needsCertificate(machine: Machine, domain: string): boolean {
  const text = readIfThere(machine.path(certificateFile(domain)))
  return text === null || new X509Certificate(text).validToDate.getTime() - Date.now() < 35 * dayMs
}

export function removeCertificate(machine: Machine, name: string): void {
  for (const type of ['crt', 'key', 'chain.pem'])
    rmSync(machine.path(certificateFile(name).replace(/crt$/, type)), { force: true })
}

/** The domain whose certificate serves a site: that of its parent for `inherit`. */
export const certificateName = (domain: string, kind: string | null): string =>
  kind === 'inherit' ? domain.slice(domain.indexOf('.') + 1) : domain

/**
 * Gets a certificate of the kind asked for. Returns whether there is one afterward: Let's Encrypt that refuses is only a warning.
 */
export function issueCertificate(context: EeContext, site: SiteRow, kind: string, isWildcard: boolean): boolean {
  const { machine } = context
  const domain = site.site_url
  const aliases = site.alias_domains.split(',').filter((one) => one !== domain)
  const names = isWildcard
    ? [domain, `*.${domain}`, ...aliases.filter((one) => one !== `*.${domain}`)]
    : [domain, ...aliases]
  switch (kind) {
    case 'self':
      writeCertificate(machine, domain, 'EasyEngine', [domain, `*.${domain}`], 3650)
      return true
    case 'inherit': {
      const parent = readCertificate(machine, certificateName(domain, kind))
      if (!parent?.names.includes(`*.${certificateName(domain, kind)}`))
        throw new EeError('Cannot inherit from parent site. Please make sure that the parent is a wildcard site.')
      context.success('Inherited certs from parent')
      return true
    }
    case 'custom': {
      const [key, certificate] = ['ssl-key', 'ssl-crt'].map((name) => {
        const file = textOption(context, name)
        return file === null ? null : readIfThere(machine.path(file))
      })
      if (!key || !certificate) throw new EeError('Pass --ssl-key and --ssl-crt with paths of files that exist.')
      put(machine.path(certificateFile(domain)), certificate)
      put(machine.path(keyFile(domain)), key)
      return true
    }
    default:
      return issueLetsEncrypt(context, domain, names)
  }
}

function issueLetsEncrypt(context: EeContext, domain: string, names: readonly string[]): boolean {
  const { machine } = context
  if (setting(context, 'le-mail') === null) {
    machine.out('Enter your mail id: ')
    if (!machine.readLine()) throw new EeError('Invalid email id.')
  }
  const refused = machine.trap('ssl_fails')
  const needsDns = names.some((name) => name.startsWith('*.')) || setting(context, 'preferred_ssl_challenge') === 'dns'
  if (needsDns && setting(context, 'cloudflare-api-key') === null) {
    context.log(
      `Add the DNS records of \`ee site ssl-info ${domain} --get-dns-records\`, then run \`ee site ssl-verify ${domain}\`.`,
    )
    return false
  }
  if (refused !== null && (refused === '' || refused === domain)) {
    context.warning(
      `SSL authorization failed. Site will be created without SSL. You can fix the issue and re-run: ee site ssl-verify ${domain}`,
    )
    return false
  }
  writeCertificate(machine, domain, "Let's Encrypt", names)
  return true
}

/** `openssl x509 -noout -enddate -in FILE`, and nothing else. */
export function openssl(machine: Machine, argv: readonly string[]): number {
  const [file] = argv.slice(-1)
  const text =
    argv.slice(0, -1).join(' ') === 'x509 -noout -enddate -in' && file !== undefined ? readIfThere(file) : null
  if (text === null) return 1
  machine.out(`notAfter=${new X509Certificate(text).validTo}\n`)
  return 0
}
