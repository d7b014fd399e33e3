import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts that the list of sites needs before anything is imported. */
export const t = createCatalog({
  'import.button': 'Import',
  'import.drop_here': 'Drop the archive here to import a site',
})
