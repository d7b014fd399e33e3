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
    'You get a link to set a new one. This installation doesn’t send email yet: an admin of your organization or a platform admin gives it to you.',
  'forgot.sent_title': 'Check your email',
  'forgot.sent_lead': 'If {email} has an account, a link is on its way.',
  'forgot.kept_title': 'Ask for your link',
  'forgot.kept_sent': 'If {email} has an account, there is a link.',
  'forgot.kept_hint':
    'This installation doesn’t send email yet. Ask an admin of your organization: they make a link for you under Users, in the menu of your row. If you are the owner or belong to several organizations, ask a platform admin: your link is under Platform, Outbox.',
  'forgot.sent_hint':
    'Nothing there after a few minutes? Look in your spam folder, then check the address. The link of an email from the last 20 minutes still works.',
})
