import { renderMail, type MailSender } from '#server/platform/mail/render-mail.ts'
import type { AccountMail } from './deps.ts'

/** Details of a request: time, device, country. Contains nothing that the sender could choose freely. */
export type RequestDetails = readonly (readonly [label: string, value: string])[]

const notYou = (sender: MailSender) => `If it was not you, choose a new password now: ${sender.url}/web/forgot-password`

/**
 * "Verify your address": following the link proves that the mailbox belongs to the user. `account` is set if an existing
 * account wants to change its address to this one.
 */
export function verificationMail(
  sender: MailSender,
  to: string,
  token: string,
  details: RequestDetails,
  account: string | null = null,
): AccountMail {
  return renderMail(sender, {
    to,
    kind: 'verify_email',
    subject: `Verify your email address for ${sender.productName}`,
    before: [
      account === null
        ? `This address was used to sign up for ${sender.productName}. Follow the link to verify that it is yours.`
        : `An account of ${sender.productName} wants to change its address to this one. Follow the link if the account is yours.`,
    ],
    details: [...(account === null ? [] : [['Account until now', account] as const]), ...details],
    button: { label: 'Verify email address', url: `${sender.url}/web/verify-email?token=${token}` },
    after: [
      'The link works once, for 24 hours.',
      'If this was not you, do not follow the link and ignore this email: without it the account stays closed.',
    ],
  })
}

/** Reply to a sign-up with an address that already has an account. */
export function accountExistsMail(sender: MailSender, to: string, details: RequestDetails): AccountMail {
  return renderMail(sender, {
    to,
    kind: 'account_exists',
    subject: `You already have an account with ${sender.productName}`,
    before: [
      `Somebody, probably you, tried to sign up for ${sender.productName} with this address. It already has an account.`,
    ],
    details,
    button: { label: 'Log in', url: `${sender.url}/web/login` },
    after: [
      `Forgot the password? Choose a new one at ${sender.url}/web/forgot-password`,
      'If it was not you, nothing has changed and there is nothing to do.',
    ],
  })
}

/** Password reset link. */
export function resetMail(sender: MailSender, to: string, key: string, details: RequestDetails): AccountMail {
  return renderMail(sender, {
    to,
    kind: 'reset_password',
    subject: `Choose a new password for ${sender.productName}`,
    before: [`Somebody, probably you, requested a new password for your ${sender.productName} account.`],
    details,
    button: { label: 'Choose a new password', url: `${sender.url}/web/reset-password?key=${key}` },
    after: [
      'The link works once, for 30 minutes.',
      'If it was not you, ignore this email: your password stays as it is.',
    ],
  })
}

/** Where the members of an organization log in. */
export function loginAddressMail(
  sender: MailSender,
  to: string,
  { address, host }: { address: string; host: string },
  details: RequestDetails,
): AccountMail {
  return renderMail(sender, {
    to,
    kind: 'login_address',
    subject: `Your login address for ${sender.productName}`,
    before: [
      `Somebody, probably you, asked where your organization logs in to ${sender.productName}. The page continues at ${host}.`,
    ],
    details,
    button: { label: 'Log in with your organization', url: address },
    after: ['Bookmark the page to find it again.', 'If it was not you, there is nothing to do.'],
  })
}

/** Sent after every password change, so that it cannot go unnoticed. */
export function passwordChangedMail(sender: MailSender, to: string, details: RequestDetails): AccountMail {
  return renderMail(sender, {
    to,
    kind: 'password_changed',
    subject: `Your ${sender.productName} password was changed`,
    before: [
      `The password of your ${sender.productName} account was changed, and the other devices were logged out. API tokens go on working until you revoke them.`,
    ],
    details,
    after: [notYou(sender)],
  })
}

/** A sign-in from a device and country that are new to the account. */
export function newSignInMail(sender: MailSender, to: string, ip: string, details: RequestDetails): AccountMail {
  return renderMail(sender, {
    to,
    kind: 'new_sign_in',
    subject: `New login to ${sender.productName}`,
    before: [`Your ${sender.productName} account was used from a location we have not seen before.`],
    details: [...details, ['Address', ip]],
    after: ['If it was you, there is nothing to do.', notYou(sender)],
  })
}

/** What changed about a second factor. */
export type SecondFactorChange = 'on' | 'off' | 'codes'

const secondFactorTexts: Readonly<Record<SecondFactorChange, readonly [subject: string, localized: string]>> = {
  on: ['Two-factor authentication turned on', 'From now on logging in asks for a code beside the password.'],
  off: ['Two-factor authentication turned off', 'From now on the password alone is enough to log in.'],
  codes: ['New recovery codes', 'New recovery codes were made; the older ones do not work any more.'],
}

/** Sent after every change of the second factor. */
export function secondFactorMail(
  sender: MailSender,
  to: string,
  change: SecondFactorChange,
  details: RequestDetails,
): AccountMail {
  const [subject, localized] = secondFactorTexts[change]
  return renderMail(sender, {
    to,
    kind: 'second_factor',
    subject: `${subject} for ${sender.productName}`,
    before: [localized],
    details,
    after: [notYou(sender)],
  })
}

/** Sent when an API token is created, because a token works without a password or code. */
export function tokenCreatedMail(
  sender: MailSender,
  to: string,
  token: { title: string; organization: string; role: string; scopes: readonly string[]; expires: string | null },
  details: RequestDetails,
): AccountMail {
  return renderMail(sender, {
    to,
    kind: 'token_created',
    subject: `New API token for ${sender.productName}`,
    before: ['An API token was made with your account. Programs that have it can work in your name.'],
    details: [
      ['Title', token.title],
      ['Organization', token.organization],
      ['Role', token.role],
      ['Scopes', token.scopes.join(', ')],
      ['Valid until', token.expires === null ? 'it is revoked' : `${token.expires.slice(0, 16)} UTC`],
      ...details,
    ],
    after: [`If it was not you, revoke the token and choose a new password: ${sender.url}/web/forgot-password`],
  })
}
