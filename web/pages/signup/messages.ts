import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of this page. */
export const tSignup = createCatalog({
  'signup.title': 'Create an account',
  'signup.lead': 'for {product}',
  'signup.first_title': 'Create the first account',
  'signup.setup_lead': 'This account administers this installation of {product}.',
  'signup.invited_lead': 'to join {organization}',
  'signup.invited_address': 'The invitation is for this address.',
  'signup.invited_busy': 'Looking at your invitation',
  'signup.invited_verified': 'It was used already. Log in to work in the organization.',
  'signup.invited_expired': 'It has expired. Ask the person who invited you for a new one.',
  'signup.accept': 'I accept the',
  'signup.terms': 'terms',
  'signup.terms_missing': 'Accept the terms to continue.',
  'signup.newsletter': 'Send me news about releases',
  'signup.submit': 'Create account',
  'signup.busy': 'Creating account',
  'signup.have_account': 'Have an account?',
})
