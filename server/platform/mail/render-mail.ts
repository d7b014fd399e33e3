import { escapeHtml } from './escape-html.ts'
import type { Mail } from './mail.ts'

/** Facts about the installation in every email. */
export interface MailSender {
  productName: string
  /** Public origin: used for links, never a request's host. */
  url: string
}

/** The content of an email before it is rendered. Everything in it is plain text. */
export interface MailContent {
  to: string
  /** Purpose, e.g. `verify_email`. */
  kind: string
  subject: string
  /** Paragraphs before the button. */
  before: readonly string[]
  /** Details in short lines, e.g. `['Device', 'Firefox on Linux']`; shown after the paragraphs. */
  details?: readonly (readonly [label: string, value: string])[]
  button?: { label: string; url: string }
  /** Paragraphs after the button, in smaller print. */
  after: readonly string[]
}

/** Renders an email as text and HTML, readable in light and dark mode. */
export function renderMail(sender: MailSender, content: MailContent): Mail {
  const { to, kind, subject, before, details = [], button, after } = content
  const text = [
    ...before,
    ...(details.length > 0 ? [details.map(([label, value]) => `${label}: ${value}`).join('\n')] : []),
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    ...after,
    `-- \n${sender.productName}, ${sender.url}`,
  ].join('\n\n')
  return { to, kind, subject, text: `${text}\n`, html: html(sender, content) }
}

/** Escaped text with clickable URLs. */
function paragraph(text: string): string {
  return escapeHtml(text).replaceAll(
    /https?:\/\/[^\s<]+/g,
    (url) => `<a href="${url}" style="color:inherit">${url}</a>`,
  )
}

/**
 * Sets no background and text color except for the button: email programs choose both in dark mode, and setting only one of
 * them would make the text unreadable. The button is readable in light and dark mode.
 */
function html(sender: MailSender, { subject, before, details = [], button, after }: MailContent): string {
  const font = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,sans-serif'
  const big = before
    .map((text) => `<p style="margin:0 0 16px;font-size:16px;line-height:24px">${paragraph(text)}</p>`)
    .join('\n')
  const list = details
    .map(([label, value]) => `<strong>${escapeHtml(label)}:</strong> ${escapeHtml(value)}`)
    .join('<br>\n')
  const detailsHtml = list && `<p style="margin:0 0 16px;font-size:15px;line-height:24px">${list}</p>\n`
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
${detailsHtml}${link}
${small}
</div>
</body>
</html>
`
}
