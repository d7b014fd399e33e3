import { trimEnd } from '#shared/rules/trim-end.ts'

/** Removes control characters, which could manipulate the terminal. */
export function plainForTerminal(text: string): string {
  return text.replace(/[\u0000-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]+/g, ' ').trim()
}

/** The links of a text in order, without duplicates. */
export function linksOf(text: string): string[] {
  const found = text.match(/https?:\/\/[^\s<>"')\]]+/g) ?? []
  return [...new Set(found.map((link) => trimEnd(link, '.,;:!?')))]
}

/** Terminal output for an email if no SMTP server is configured: recipient, subject and links. */
export function printedMail(mail: { to: string; subject: string; text: string }): string {
  const links = linksOf(mail.text)
    .map((link) => `  ${plainForTerminal(link)}\n`)
    .join('')
  return `✉ Mail to ${plainForTerminal(mail.to)}: ${plainForTerminal(mail.subject)}\n${links}`
}
