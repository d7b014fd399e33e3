import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of a site's hover card. */
export const t = createCatalog({
  'card.aliases': 'Aliases',
  'card.server': 'Server',
  'card.taken': 'Screenshot taken',
})
