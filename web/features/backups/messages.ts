import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of backup schedules. */
export const t = createCatalog({
  'schedule.title': 'Schedule',
  'schedule.title_default': 'Schedule of sites without their own',
  'schedule.error': 'The schedule could not be read',
  'schedule.off': 'No automatic backups.',
  'schedule.text': '{when}; {kept}.',
  'schedule.spread': '{when}, each site at a time of its own within {minutes} minutes after it',
  'schedule.window': '{when}, only from {from} until {until}',
  'schedule.per_server':
    '{text} {count, plural, one {While a backup is being made on a server, scheduled ones wait there.} other {While # backups are being made on a server, scheduled ones wait there.}}',
  'schedule.before_changes': '{text} Changes that can break a site begin with a backup, too.',
  'schedule.prove_on_server':
    '{text} Backups that can’t be tested on this machine are tested on the server of the site.',
  'schedule.hour': 'Every hour at minute {minute} ({zone})',
  'schedule.day': 'Every day at {at} ({zone})',
  'schedule.week': 'Every Monday at {at} ({zone})',
  'schedule.month': 'On the first day of every month at {at} ({zone})',
  'schedule.kept': '{kept} backups are kept',
  'schedule.kept_all': 'all backups are kept',
  'schedule.keep_hourly': '{count} hourly',
  'schedule.keep_daily': '{count} daily',
  'schedule.keep_weekly': '{count} weekly',
  'schedule.keep_monthly': '{count} monthly',
  'schedule.keep_yearly': '{count} yearly',
  'schedule.next': 'Next: {when}.',
  'schedule.due_server':
    '{count, plural, one {A backup is due since {when}. It waits for its server, where one is made at a time.} other {A backup is due since {when}. It waits for its server, where # are made at a time.}}',
  'schedule.due_hours': 'A backup is due since {when}. It waits for the hours of the schedule.',
  'schedule.due_job': 'A backup is due since {when}. It waits for the running job of the site.',
  'schedule.due_now': 'A backup is due since {when}. It begins within a minute.',
  'schedule.paused': 'Left out while the site is not live.',
  'schedule.of_organization': 'From the organization',
  'schedule.own': 'Of this site',
  'schedule.change': 'Change…',
  'schedule.reset': 'Use the organization’s…',

  'store.local': 'This installation',
  'store.other': 'A removed connection',
  'store.cost': 'about {price} a month',
  'store.cost_least': 'less than {price} a month',

  'form.title': 'Backup schedule of {name}',
  'form.enabled': 'Back up automatically',
  'form.keep': 'Backups that are kept',
  'form.keep_hint':
    'The newest backup of each hour, day, week, month and year, for as many of them as you enter. Pinned backups and the last proven one are always kept. With zeros only, all backups are kept.',
  'form.default_hint': 'Other backups of sites without a schedule of their own are deleted within about an hour.',
  'form.default_store': 'The organization’s: {store}',
  'form.cancel': 'Cancel',
  'form.save': 'Save',
  'form.saved': 'The schedule was saved',

  'preview.reading': 'Checking what would be deleted…',
  'preview.error': 'It could not be read what would be deleted. {reason}',
  'preview.keeps':
    '{count, plural, =0 {There are no backups yet.} one {Keeps the one backup there is.} other {Keeps all # backups.}}',
  'preview.deletes':
    'Keeps {keep}, deletes {count, plural, one {# backup} other {# backups}} within about an hour. This can’t be undone:',
  'preview.more': 'and {count} more',

  'key.title': 'Recovery key',
  'key.missing': 'Download the recovery key',
  'key.why':
    'With this key, the backups can be read without this installation. Without it, they are lost if the installation is. Anyone with the key can read every backup.',
  'key.done': 'Downloaded {when}. Keep it where the backups are not.',
  'key.download': 'Download',
  'key.again': 'Download again',
  'key.downloaded': 'The recovery key was downloaded',
  'key.error': 'It could not be read whether the recovery key was downloaded',

  'reset.title': 'Use the organization’s schedule?',
  'reset.text': 'The schedule of this site is deleted. From then on: {text}',
  'reset.confirm': 'Use the organization’s',
  'reset.done': 'This site uses the organization’s schedule',
})
