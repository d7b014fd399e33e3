import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts about job progress. */
export const tJob = createCatalog({
  'usually.second': 'usually 1 s',
  'usually.seconds': 'usually {n} s',
  'usually.minutes': 'usually {n} min',
  'usually.range': 'usually {low}–{high} min',
  'end.done': '{label}: done',
  'end.failed': '{label}: failed',
  'end.canceled': '{label}: canceled',
  'end.canceling': '{label}: canceling',
  job: 'Job',
  step: 'Step {n} of {all}: {label}',
})
