import { rmSync } from 'node:fs'
import type { SiteRow } from './database.ts'
import { EeError, textOption, type EeContext } from './ee-context.ts'
import { certificatesPath } from './layout.ts'
import { put, readIfThere, type Machine } from './machine.ts'
import { setting } from './settings.ts'

/** What a simulated certificate says: its file has these facts instead of an X.509 certificate. */
export interface Certificate {
  readonly commonName: string
  readonly issuer: string
  readonly from: string
  readonly till: string
  readonly serial: string
  readonly names: readonly string[]
}

const begin = '-----BEGIN CERTIFICATE-----'
const end = '-----END CERTIFICATE-----'
const dayMs = 86_400_000
const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

/** Where a certificate lies, as EasyEngine says it. */
export const certificateFile = (name: string): string => `${certificatesPath}/${name}.crt`

export function writeCertificate(
  machine: Machine,
  name: string,
  issuer: string,
  names: readonly string[],
  days = 90,
): void {
  const now = Date.now()
  const facts: Certificate = {
    commonName: names[0] ?? name,
    issuer,
    from: timeText(now),
    till: timeText(now + days * dayMs),
    serial: String(now),
    names,
  }
  put(
    machine.path(certificateFile(name)),
    `${begin}\n${Buffer.from(JSON.stringify(facts)).toString('base64')}\n${end}\n`,
  )
  put(machine.path(certificateFile(name).replace(/crt$/, 'key')), 'simulated private key\n')
}

export function readCertificate(machine: Pick<Machine, 'path'>, name: string): Certificate | null {
  const text = readIfThere(machine.path(certificateFile(name)))
  if (text === null) return null
  return JSON.parse(Buffer.from(text.split('\n')[1] ?? '', 'base64').toString()) as Certificate
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
      writeCertificate(machine, domain, 'EasyEngine', [domain, `*.${domain}`, ...aliases], 3650)
      return true
    case 'inherit': {
      const parent = readCertificate(machine, certificateName(domain, kind))
      if (!parent?.names.includes(`*.${certificateName(domain, kind)}`))
        throw new EeError('Cannot inherit from parent site. Please make sure that the parent is a wildcard site.')
      context.success('Inherited certs from parent')
      return true
    }
    case 'custom': {
      const files = [textOption(context, 'ssl-key'), textOption(context, 'ssl-crt')]
      if (files.some((file) => file === null || readIfThere(machine.path(file)) === null))
        throw new EeError('Pass --ssl-key and --ssl-crt with paths of files that exist.')
      writeCertificate(machine, domain, 'Custom', names, 365)
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
