import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of values and favorites. */
export const t = createCatalog({
  'star.add': 'Add {title} to favorites',
  'star.remove': 'Remove {title} from favorites',
  'star.column': 'Favorite',
  'star.failed': 'The favorite was not saved',
  'star.removed': '{title} was removed from favorites',
  'problem.since': 'Since {when}',
  'problem.contact': 'Last contact {when}',
  'problem.no_contact': 'No contact so far',
  'problem.no_reason': 'The reason was not recorded.',
  'severity.critical': 'Critical',
  'severity.warning': 'Warning',
  'severity.info': 'Info',
})
