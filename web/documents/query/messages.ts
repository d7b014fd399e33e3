import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of list requests: the range on screen, and names of fields. */
export const t = createCatalog({
  'list.range': '{first}–{last} of {total}',
  'list.range_one': '{first} of {total}',
  'list.range_none': '0 of {total}',
  'list.created_by': 'Created by',
})
