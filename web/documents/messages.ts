import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of values, wherever documents are shown. */
export const t = createCatalog({
  'value.none': '—',
  'value.yes': 'Yes',
  'value.no': 'No',
  'value.nothing': 'nothing',
  'value.system': 'System',
})
