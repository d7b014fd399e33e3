import { composeLetter, type MailSender } from '#server/platform/mail-letter.ts'
import type { AccountMail } from './deps.ts'

/** "Verify your address": the link proves that the mailbox is the person's. */
export function verificationMail(sender: MailSender, to: string, token: string): AccountMail {
  return composeLetter(sender, {
    to,
    kind: 'verify_email',
    subject: `Verify your e-mail address for ${sender.productName}`,
    before: [`This address was used to sign up for ${sender.productName}. Follow the link to verify that it is yours.`],
    button: { label: 'Verify e-mail address', url: `${sender.url}/web/verify-email?token=${token}` },
    after: [
      'The link works once, for 24 hours.',
      'If you did not sign up, ignore this mail: without the link the account stays closed.',
    ],
  })
}

/** Answer to a sign-up with the address of an account that exists. */
export function accountExistsMail(sender: MailSender, to: string): AccountMail {
  return composeLetter(sender, {
    to,
    kind: 'account_exists',
    subject: `You already have an account with ${sender.productName}`,
    before: [
      `Somebody, probably you, tried to sign up for ${sender.productName} with this address. It already has an account.`,
    ],
    button: { label: 'Log in', url: `${sender.url}/web/login` },
    after: [
      `Forgot the password? Choose a new one at ${sender.url}/web/forgot-password`,
      'If it was not you, nothing has changed and there is nothing to do.',
    ],
  })
}

/** Link to choose a new password. */
export function resetMail(sender: MailSender, to: string, key: string): AccountMail {
  return composeLetter(sender, {
    to,
    kind: 'reset_password',
    subject: `Choose a new password for ${sender.productName}`,
    before: [`Somebody, probably you, asked for a new password for your ${sender.productName} account.`],
    button: { label: 'Choose a new password', url: `${sender.url}/web/reset-password?key=${key}` },
    after: [
      'The link works once, for 30 minutes.',
      'If it was not you, ignore this mail: your password stays as it is.',
    ],
  })
}

/** Told after each change of the password, so that nobody else can do it unnoticed. */
export function passwordChangedMail(sender: MailSender, to: string): AccountMail {
  return composeLetter(sender, {
    to,
    kind: 'password_changed',
    subject: `Your ${sender.productName} password was changed`,
    before: [`The password of your ${sender.productName} account was changed, and the other devices were logged out.`],
    after: [`If it was not you, choose a new one at once: ${sender.url}/web/forgot-password`],
  })
}
