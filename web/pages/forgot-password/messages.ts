import { createCatalogue } from '#web/lib/catalogue.ts'

/** Texts of this page. */
export const words = createCatalogue({
  'forgot.title': 'Forgot password?',
  'forgot.lead': 'We will send you a link to set a new one.',
  'forgot.submit': 'Send link',
  'forgot.busy': 'Sending',
  'forgot.sent_title': 'Check your mail',
  'forgot.sent_lead': 'If {email} has an account, a link is on its way.',
  'forgot.sent_hint': 'Nothing there after a few minutes? Look in your spam folder, then check the address.',
})
