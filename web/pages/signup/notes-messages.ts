import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts shown instead of the form. */
export const tNote = createCatalog({
  'signup.first_title': 'Create the first account',
  'signup.title': 'Create an account',
  'signup.first_lead': '{product} has no account yet.',
  'signup.link_title': 'The setup link is in the terminal',
  'signup.link_text':
    'Look at the terminal where the server was started. The last lines show a one-time link; open it to create the first account.',
  'signup.closed_title': 'By invitation only',
  'signup.closed_text': 'Ask an admin of your organization to invite you. The link of the invitation leads here.',
  'signup.invited_failed': 'This invitation does not work',
  'signup.mail_title': 'Check your email',
  'signup.mail_lead': 'We sent a link to {email}.',
  'signup.mail_hint': 'It works for 24 hours. Nothing there? Look in your spam folder.',
  'signup.colleague_title': 'Your account was created',
  'signup.colleague_lead': 'The people who invited {email} can confirm it with one click.',
  'signup.colleague_hint': 'Log in and leave that page open: it continues as soon as the account is confirmed.',
  'signup.operator_title': 'Confirm your email',
  'signup.operator_lead': 'There is a link for {email}.',
  'signup.operator_hint':
    'This installation doesn’t send email yet. Ask a platform admin for the link: it is under Platform, Outbox. It works for 24 hours.',
})
