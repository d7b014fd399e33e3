import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of this page. */
export const tForgot = createCatalog({
  'forgot.title': 'Forgot password?',
  'forgot.lead': 'We will send you a link to set a new one.',
  'forgot.submit': 'Send link',
  'forgot.busy': 'Sending',
  'forgot.create': 'Create link',
  'forgot.creating': 'Creating',
  'forgot.kept_lead':
    'You get a link to set a new one. This installation doesn’t send email yet: a platform admin has the link.',
  'forgot.sent_title': 'Check your email',
  'forgot.sent_lead': 'If {email} has an account, a link is on its way.',
  'forgot.kept_title': 'Ask for your link',
  'forgot.kept_sent': 'If {email} has an account, there is a link.',
  'forgot.kept_hint':
    'This installation doesn’t send email yet. Ask a platform admin for the link: it is under Platform, Outbox.',
  'forgot.sent_hint':
    'Nothing there after a few minutes? Look in your spam folder, then check the address. The link of an email from the last 20 minutes still works.',
})
