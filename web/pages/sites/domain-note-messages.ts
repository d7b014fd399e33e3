import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts about the DNS records of a domain. */
export const t = createCatalog({
  'dns.here': 'Points at this server',
  'dns.not_here': 'Does not point at this server yet. Visitors see the site once its DNS record does.',
  'dns.records_wrong': 'Does not point at this server yet. Change its DNS records as shown.',
  'dns.records': 'DNS records of {domain}',
  'dns.no_record': 'No record',
  'dns.add': 'Add',
  'dns.change': 'Another host, change it to',
  'dns.remove': 'Another host, remove it',
  'dns.copy': 'Copy {address}',
})
