import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the log-in through the provider of an organization. */
export const tSso = createCatalog({
  'sso.title': 'Log in with your organization',
  'sso.lead': 'An admin of your organization can give you its login address.',
  'sso.address': 'Login address',
  'sso.address_hint': 'Or only its last part.',
  'sso.address_missing': 'Enter the login address of your organization.',
  'sso.address_or_email': 'Login address or email',
  'sso.email_hint': 'With your email, the address is sent to you.',
  'sso.sent_title': 'Check your email',
  'sso.sent_lead': 'If {email} can log in through an organization, its login address is on its way.',
  'sso.sent_hint':
    'Nothing there after a few minutes? Look in your spam folder, ask an admin of your organization, or log in with your password.',
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
