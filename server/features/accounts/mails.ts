import { escapeHtml } from '#server/platform/escape-html.ts'
import type { AccountMail } from './deps.ts'

/** What every mail of ours knows about the installation. */
export interface MailSender {
  productName: string
  url: string
}

interface Letter {
  to: string
  kind: string
  subject: string
  /** Paragraphs before the button. */
  before: string[]
  button?: { label: string; url: string }
  /** Paragraphs after the button, in smaller print. */
  after: string[]
}

/** "Verify your address": the link proves that the mailbox is the person's. */
export function verificationMail(sender: MailSender, to: string, token: string): AccountMail {
  return compose(sender, {
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
  return compose(sender, {
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
  return compose(sender, {
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
  return compose(sender, {
    to,
    kind: 'password_changed',
    subject: `Your ${sender.productName} password was changed`,
    before: [`The password of your ${sender.productName} account was changed, and the other devices were logged out.`],
    after: [`If it was not you, choose a new one at once: ${sender.url}/web/forgot-password`],
  })
}

function compose(sender: MailSender, letter: Letter): AccountMail {
  const { to, kind, subject, before, button, after } = letter
  const text = [
    ...before,
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    ...after,
    `-- \n${sender.productName}, ${sender.url}`,
  ].join('\n\n')
  return { to, kind, subject, text: `${text}\n`, html: html(sender, letter) }
}

/** Escaped text in which addresses can be clicked. */
function paragraph(text: string): string {
  return escapeHtml(text).replaceAll(
    /https?:\/\/[^\s<]+/g,
    (url) => `<a href="${url}" style="color:inherit">${url}</a>`,
  )
}

/**
 * No background and no text colour of its own, except the button's: mail programs in dark mode choose both, and a
 * colour set on one side only would make the text unreadable. The button is readable on light and dark.
 */
function html(sender: MailSender, { subject, before, button, after }: Letter): string {
  const font = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,sans-serif'
  const big = before
    .map((text) => `<p style="margin:0 0 16px;font-size:16px;line-height:24px">${paragraph(text)}</p>`)
    .join('\n')
  const small = [...after, `${sender.productName}, ${sender.url}`]
    .map((text) => `<p style="margin:0 0 12px;font-size:14px;line-height:20px">${paragraph(text)}</p>`)
    .join('\n')
  const link = button
    ? `<p style="margin:24px 0"><a href="${escapeHtml(button.url)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background-color:#4f46e5;color:#ffffff;font-size:16px;font-weight:600;text-decoration:none">${escapeHtml(button.label)}</a></p>
<p style="margin:0 0 16px;font-size:13px;line-height:20px;word-break:break-all">${paragraph(button.url)}</p>`
    : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>:root { color-scheme: light dark; }</style>
</head>
<body style="margin:0;padding:24px;${font}">
<div style="max-width:560px;margin:0 auto">
${big}
${link}
${small}
</div>
</body>
</html>
`
}
