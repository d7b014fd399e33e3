import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the second step. */
export const tLogin = createCatalog({
  'code.title': 'Enter your code',
  'code.lead': 'Your authenticator app shows it.',
  'code.label': 'Code',
  'code.hint': 'Six digits, new every half minute.',
  'code.missing': 'Enter the code.',
  'code.wrong': 'This code is not right, or was used already.',
  'code.submit': 'Log in',
  'code.busy': 'Logging in',
  'code.use_recovery': 'Use a recovery code',
  'code.use_app': 'Use the app instead',
  'code.back': 'Back',
  'code.expired': 'That took too long. Log in again.',
  'recovery.title': 'Enter a recovery code',
  'recovery.lead': 'One of the ten you kept when you set up two-factor authentication. Each works once.',
  'recovery.label': 'Recovery code',
  'recovery.wrong': 'This recovery code is not right, or was used already.',
})
