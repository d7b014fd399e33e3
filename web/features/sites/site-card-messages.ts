import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of a site's hover card, and of its day at a glance. */
export const t = createCatalog({
  'card.aliases': 'Aliases',
  'card.server': 'Server',
  'card.taken': 'Screenshot taken',

  'uptime.day': 'Last 24 hours: {share} of the checks got an answer, in {average} on average',
  'uptime.day_down': 'Last 24 hours: {share} of the checks got an answer',
})
