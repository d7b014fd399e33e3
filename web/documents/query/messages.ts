import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of list requests: the range on screen, and names of fields. */
export const t = createCatalog({
  'list.range': '{first}–{last} of {total}',
  'list.range_one': '{first} of {total}',
  'list.range_none': '0 of {total}',
  'list.created_by': 'Created by',
  'time.not set': 'never',
  'time.set': 'known',
  'time.older than 1 day': 'older than a day',
  'time.older than 7 days': 'older than 7 days',
  'time.older than 30 days': 'older than 30 days',
})
