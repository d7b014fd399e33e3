import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of this page. */
export const tVerify = createCatalog({
  'verify.title': 'Confirm your email',
  'verify.lead': 'We sent a link to',
  'verify.kept_lead': 'There is a link for',
  'verify.kept_hint':
    'This installation doesn’t send email yet. Ask a platform admin for the link: it is under Platform, Outbox.',
  'verify.waiting_title': 'Waiting for confirmation',
  'verify.waiting_lead': '{inviter} or an admin of {organization} needs to confirm your account: {email}',
  'verify.waiting_hint':
    'They see you in their list of members, with a button “Confirm”. No email is sent here, so let them know if it takes long.',
  'verify.ended_title': 'Ask for a new link',
  'verify.ended_lead': '{inviter} or an admin of {organization} can copy a new one for {email}.',
  'verify.withdrawn_lead': 'The person who invited you can send a new invitation to {email}.',
  'verify.ended_hint':
    'The invitation you signed up with has ended, or a newer link replaced it. Open the new link here to go on with this account.',
  'verify.waiting_foot': 'This page continues once you are confirmed.',
  'verify.foot': 'This page continues once you have opened the link.',
  'verify.resend': 'Send again',
  'verify.resend_in': 'Send again in {seconds} s',
  'verify.renew': 'Create a new link',
  'verify.renew_in': 'Create a new link in {seconds} s',
  'verify.resent': 'A new link is on its way to {email}.',
  'verify.kept':
    'There is a new link for {email}. This installation doesn’t send email yet. Ask a platform admin for the link: it is under Platform, Outbox.',
  'verify.change': 'Change address',
  'verify.new_address': 'New email address',
  'verify.send_there': 'Send the link there',
  'verify.create_there': 'Create a link for it',
  'verify.busy': 'Confirming your email',
  'verify.done_title': 'Your email is confirmed',
  'verify.done_lead': 'You can continue.',
  'verify.continue': 'Continue',
  'verify.choose_lead':
    'This address was used to sign up more than once, with different passwords. To be sure that only you know the password, choose a new one.',
  'verify.choose_password': 'Choose a password',
  'verify.failed_title': 'This link does not work',
  'verify.failed_hint': 'Links work once, within 24 hours. Log in to get a new one.',
  'verify.another_link': 'Get a new link',
})
