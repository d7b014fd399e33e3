import { certificateFile, certificateName, issueCertificate, readCertificate } from './certificates.ts'
import type { SiteRow } from './database.ts'
import { EeError, namedSite, recordEffect, type EeContext } from './ee-context.ts'
import { formatItems } from './format.ts'
import { misbehaves } from './sqlite3.ts'
import { setting } from './settings.ts'

/** `ee site ssl-info`: what the certificate itself says. */
export function sslInfo(context: EeContext): void {
  const { machine, options } = context
  const site = namedSite(context, { mustBeEnabled: false })
  if (misbehaves(machine)) return
  const facts = options['get-dns-records'] === true ? dnsRecords(context, site) : sslFacts(context, site)
  machine.out(formatItems([facts], Object.keys(facts), String(options['format'])))
}

function sslFacts({ machine }: EeContext, site: SiteRow): Record<string, unknown> {
  const kind = site['site_ssl'] ?? ''
  if (!kind) return { ssl_type: 'off', status: 'SSL is not enabled for this site.', warnings: [] }
  const name = certificateName(site.site_url, kind)
  const certificate = readCertificate(machine, name)
  const file = certificateFile(name)
  if (certificate === null)
    return {
      ssl_type: kind,
      status: 'Certificate file not found / yet to be issued.',
      warnings: [`Certificate file not found for ${name} (${file})`],
    }
  return {
    ssl_type: kind,
    status: 'SSL is enabled for this site.',
    cert_file: file,
    issued_to_CN: certificate.commonName,
    issued_by_CN: certificate.issuer,
    valid_from: certificate.from,
    valid_till: certificate.till,
    serial_number: certificate.serial,
    SANs: certificate.names.join(', '),
    warnings: [],
  }
}

function dnsRecords(context: EeContext, site: SiteRow): Record<string, unknown> {
  const domain = site.site_url
  const isDns =
    site['site_ssl_wildcard'] === '1' ||
    site.alias_domains.includes('*') ||
    setting(context, 'preferred_ssl_challenge') === 'dns'
  if (!isDns) return { warnings: ['This site does not use DNS-based (DNS-01) SSL challenge.'] }
  const record = (name: string) => ({
    domain: name,
    record_name: `_acme-challenge.${name.replace(/^\*\./, '')}`,
    record_value: Buffer.from(`challenge of ${name}`).toString('base64url'),
  })
  return { dns_challenges: [domain, `*.${domain}`].map((name) => record(name)), warnings: [] }
}

/** `ee site ssl-verify`. */
export function sslVerify(context: EeContext): void {
  const site = namedSite(context, { mustBeEnabled: true })
  context.log('Starting SSL verification.')
  if (!issueCertificate(context, site, 'le', site['site_ssl_wildcard'] === '1')) {
    context.warning(`Check logs and retry \`ee site ssl-verify ${site.site_url}\` once the issue is resolved.`)
    return
  }
  context.database.updateSite(site.site_url, { site_ssl: 'le' })
  recordEffect(context, `ssl-verify ${site.site_url}`)
  context.success('SSL verification completed.')
}

/** `ee site ssl-renew`: below 35 days, unless forced. */
export function sslRenew(context: EeContext): void {
  const { database, options } = context
  context.log('Starting SSL cert renewal')
  const isAll = options['all'] === true
  const sites = isAll
    ? database.sites().filter((site) => site.site_enabled === '1' && site['site_ssl'] === 'le')
    : [namedSite(context, { mustBeEnabled: true })]
  for (const site of sites) {
    if (isAll && site['site_ssl_wildcard'] === '1' && setting(context, 'cloudflare-api-key') === null) {
      context.warning(`Wildcard site found: ${site.site_url}, skipping it.`)
      continue
    }
    renew(context, site)
  }
  context.success('SSL renewal completed.')
}

function renew(context: EeContext, site: SiteRow): void {
  if (site['site_ssl'] === 'inherit')
    throw new EeError(
      'No need to renew certs for site who have inherited ssl. Please renew certificate of the parent site.',
    )
  if (site['site_ssl'] !== 'le') throw new EeError('Only Letsencrypt certificate renewal is supported.')
  const certificate = readCertificate(context.machine, site.site_url)
  const daysLeft = certificate ? (Date.parse(`${certificate.till}Z`) - Date.now()) / 86_400_000 : 0
  if (daysLeft > 35 && context.options['force'] !== true) return
  if (issueCertificate(context, site, 'le', site['site_ssl_wildcard'] === '1'))
    recordEffect(context, `ssl-renew ${site.site_url}`)
}
