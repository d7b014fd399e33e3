import { createCatalogue } from './catalogue.ts'

/**
 * Every text of the foundation, the public pages and the shell, in one place and one language (en). Texts that the
 * specification fixes word for word are marked [F].
 */
export const t = createCatalogue({
  // Common
  'common.retry': 'Retry',
  'common.reload': 'Reload',
  'common.cancel': 'Cancel',
  'common.close': 'Close',
  'common.copy': 'Copy',
  'common.copied': 'Copied',
  'common.copy_details': 'Copy details',
  'common.loading': 'Loading',
  'common.show_password': 'Show password',
  'common.hide_password': 'Hide password',
  'common.type_to_confirm': 'Type {name} to confirm',
  'common.name_differs': 'This is not the same name.',
  'common.notifications': 'Notifications',
  'common.optional': 'optional',
  'common.request': 'Request {id}',
})
