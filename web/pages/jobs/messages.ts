import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the job list. */
export const t = createCatalog({
  'jobs.title': 'Jobs',
  'jobs.subtitle': '{count, number} running',
  'jobs.by': 'Started by',
  'jobs.when': 'When',
  'jobs.took': 'Took',
  'jobs.all': 'All',
  'jobs.running': 'Running',
  'jobs.failed': 'Failed',
  'jobs.mine': 'Mine',
  'jobs.error_title': 'Jobs could not be read',
  'jobs.empty_title': 'No jobs yet',
  'jobs.empty':
    'Long-running work, such as creating a site, runs as a job. It keeps running when you leave the page and stays listed here.',
})
