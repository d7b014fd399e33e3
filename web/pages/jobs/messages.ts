import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the job list. */
export const t = createCatalog({
  'jobs.title': 'Jobs',
  'jobs.fact': '{count, number} running',
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
    'Whatever takes longer than a moment, like creating a site, is a job: it goes on when you leave, and stays here.',
})
