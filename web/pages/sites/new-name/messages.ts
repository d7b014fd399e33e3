import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the name of a new site. */
export const t = createCatalog({
  'name.label': 'Name',
  'name.hint': 'Letters a to z, digits and hyphens.',
  'name.used': 'You already have a site with this name.',
  'name.free': 'Available',
  'name.preview': 'The site will answer at {url}',
})
