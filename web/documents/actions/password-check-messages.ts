import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the password dialog. */
export const tPasswordCheck = createCatalog({
  'password_check.title': 'Confirm your password',
  'password_check.why': 'Confirm your password to continue.',
  'password_check.password': 'Password',
  'password_check.missing': 'Enter your password.',
  'password_check.confirm': 'Confirm',
  'password_check.cancel': 'Cancel',
})
