import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the page for members of an organization that requires two-factor authentication. */
export const t = createCatalog({
  'needed.title': '{organization} requires two-factor authentication',
  'needed.lead': 'Set it up for your account to continue. You need an authenticator app on your phone or computer.',
  'needed.done': 'Two-factor authentication is on for your account.',
  'needed.continue': 'Continue to {organization}',
  'needed.leave': 'Leave {organization}',
  'needed.logout': 'Logout',
})
