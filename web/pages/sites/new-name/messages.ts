import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the name of a new site. */
export const t = createCatalog({
  'name.label': 'Name',
  'name.example': 'blog',
  'name.hint': 'Letters a to z, digits and hyphens.',
  'name.used': 'You already have a site with this name.',
  'name.free': 'Available',
  'name.domain': 'Domain',
  'name.domain_missing': 'Enter a domain.',
  'name.domain_example': 'shop.example.com',
  'name.domain_hint': 'A full domain. Point it at the server’s address for visitors to see the site.',
  'name.preview': 'The site will answer at {url}',
})
