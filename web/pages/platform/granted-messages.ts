import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the plans that nobody pays for. */
export const tGranted = createCatalog({
  title: 'Plans that nobody pays for',
  hint: 'Given here, or chosen before payments were turned on. They stay until you end them.',
  error: 'The plans that nobody pays for did not load',
  more: 'The first {shown} of {total}.',
  line: '{plan}, {price} per month',
  ends: 'Ends after {date}',
  endless: 'No end',
  end: 'Set an end',
  change: 'Change',
  keep: 'Keep for nothing',
  kept: 'The plan of {title} stays',
  end_all: '{count, plural, one {Set an end for # plan} other {Set an end for all # plans}}',
  end_title: '{count, plural, one {End the plan of {title}} other {End # plans}}',
  end_hint:
    'The owner is told by email, and keeps the plan if it is paid for by then. Otherwise the organization is on Free after that day; nothing is deleted.',
  end_confirm: 'Set the end',
  until: 'Last day (UTC)',
  ended: '{count, plural, one {The end is set} other {The ends of # plans are set}}',
})
