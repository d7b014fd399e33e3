import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of actions, of revealed values, and of "Copy as". */
export const t = createCatalog({
  'action.menu': 'Actions for {title}',
  'reveal.show': 'Reveal',
  'reveal.show_of': 'Reveal {field}',
  'reveal.hide': 'Hide',
  'reveal.hide_of': 'Hide {field}',
  'reveal.hidden': 'Hidden',
  'reveal.shown': 'Shown for 30 seconds',
  'reveal.copy': 'Copy {field}',
  'reveal.failed': '{field} could not be revealed',
  'action.busy': 'Busy: a job is running on it',
  'action.from': 'Available when the status is {from}; it is {now} now',
  'action.more': 'More actions',
  'action.confirm_title': '{action} {title}?',
  'action.close': 'Cancel',
  'action.done': '{action}: done',
  'action.failed': '{action} failed',
  'action.undo': 'Undo',
  'action.none': 'Nothing to do here now',
  'copy.button': 'Copy as curl',
  'copy.action': 'Copy “{action}” as curl',
  'copy.done': 'Command copied',
  'copy.token': 'Replace KEY:SECRET with your API token.',
  'copy.session': 'API tokens cannot do this: log in on the command line first, as the first steps of /api/docs show.',
  'copy.failed': 'The browser refused to copy',
})
