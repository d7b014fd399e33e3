import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the log-in through the provider of an organization. */
export const tSso = createCatalog({
  'sso.title': 'Log in with your organization',
  'sso.lead': 'An admin of your organization can give you its login address.',
  'sso.address': 'Login address',
  'sso.address_hint': 'Or only its last part.',
  'sso.address_missing': 'Enter the login address of your organization.',
  'sso.next': 'Next',
  'sso.password': 'Log in with your password',
  'sso.go_lead': 'You continue at the login provider of your organization.',
  'sso.go': 'Continue at {host}',
  'sso.going': 'Opening {host}',
  'sso.unknown': 'This login address does not work',
  'sso.other': 'Enter another login address',
  'sso.back': 'Logging in',
  'sso.failed': 'You are not logged in',
  'sso.again': 'Start again',
  'sso.lost':
    'This login was not started in this browser tab. Start again from the login address of your organization.',
})
