import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of what a new site starts from. */
export const t = createCatalog({
  'start.title': 'Start from',
  'start.fresh': 'Fresh',
  'start.clone': 'Clone a site',
  'start.backup': 'From a backup',
  'start.site': 'Site to clone',
  'start.site_hint': 'Choose a live site. Its files and database are copied; the name of the new site comes next.',
  'start.search': 'Search sites',
  'start.searching': 'Searching…',
  'start.no_match': 'No live site matches.',
  'start.backup_hint': 'Find the backup in the list of all backups, then choose “Open as new site…” in its menu.',
  'start.backup_list': 'Show all backups',
})
