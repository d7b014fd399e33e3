import { createCatalogue } from '#web/lib/catalogue.ts'

/** Texts of this page. */
export const words = createCatalogue({
  'signup.title': 'Create an account',
  'signup.lead': 'for {product}',
  'signup.first_title': 'Create the first account',
  'signup.first_lead': '{product} has no account yet.',
  'signup.setup_lead': 'It looks after this installation of {product}.',
  'signup.link_title': 'The setup link is in the terminal',
  'signup.link_text':
    'Look at the terminal where the server was started. The last lines show a one-time link; open it to create the first account.',
  'signup.closed_title': 'By invitation only',
  'signup.closed_text': 'Ask an admin of your organization to invite you. The link in that mail leads here.',
  'signup.invited_lead': 'to join {organization}',
  'signup.invited_address': 'The invitation is for this address.',
  'signup.invited_busy': 'Looking at your invitation',
  'signup.invited_verified': 'It was used already. Log in to work in the organization.',
  'signup.invited_expired': 'It has expired. Ask the person who invited you to send it again.',
  'signup.invited_failed': 'This invitation does not work',
  'signup.accept': 'I accept the',
  'signup.terms': 'terms',
  'signup.terms_missing': 'Accept the terms to go on.',
  'signup.newsletter': 'Send me news about releases',
  'signup.submit': 'Create account',
  'signup.busy': 'Creating account',
  'signup.have_account': 'Have an account?',
  'signup.sent_title': 'Check your mail',
  'signup.sent_lead': 'We sent a link to {email}.',
  'signup.sent_hint': 'It works for 24 hours. Nothing there? Look into the spam folder.',
})
