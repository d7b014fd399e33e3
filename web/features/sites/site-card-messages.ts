import { createCatalogue } from '#web/lib/i18n/catalogue.ts'

/** Texts of a site's hover card. */
export const t = createCatalogue({
  'card.aliases': 'Aliases',
  'card.server': 'Server',
  'card.taken': 'Screenshot taken',
})
