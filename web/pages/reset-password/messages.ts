import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of this page. */
export const tReset = createCatalog({
  'reset.title': 'Set a new password',
  'reset.lead': 'Every browser logged in with the old one is logged out.',
  'reset.new_password': 'New password',
  'reset.submit': 'Set password',
  'reset.busy': 'Setting password',
  'reset.done': 'The new password is set. Log in with it.',
  'reset.gone_title': 'This link does not work',
  'reset.gone_lead': 'It was used already, it is too old, or it was withdrawn.',
  'reset.new_link': 'Get a new link',
})
