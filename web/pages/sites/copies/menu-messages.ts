import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts about copies of sites that every site's page has. */
export const t = createCatalog({
  'clone.menu': 'Clone…',
  'clone.staging_menu': 'Create staging site…',
  'clone.from': 'Cloned from',
  'clone.running': 'Clone to {site} is running',
  'clone.staging_running': 'The staging site {site} is being created',
})
