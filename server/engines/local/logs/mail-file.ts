import * as z from 'zod/mini'
import type { Mail, MailSummary } from '../../site-logs.ts'

/** Name of a captured email; the preload of PHP writes them. Everything else in the folder is none. */
const form = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})-([0-9a-f]{12})\.json$/
const idForm = /^\d{8}T\d{6}-[0-9a-f]{12}$/

/** A larger file is listed, but not read (bytes). */
export const maxMailBytes: number = 1024 * 1024
/** Maximum length of names, addresses and subjects in characters. */
const maxText = 1_000
/** Maximum length of a body in characters. */
const maxBody = 256 * 1024
const maxHeaders = 100
const maxAttachments = 100

const text = z.catch(z.string(), '')
const textOrList = z.catch(z.union([z.string(), z.array(z.string())]), '')
const storedMail = z.object({
  to: textOrList,
  from: z.optional(text),
  subject: text,
  message: text,
  headers: textOrList,
  content_type: z.optional(text),
  attachments: z.optional(
    z.catch(z.array(z.object({ name: z.string(), bytes: z.catch(z.nullable(z.number()), null) })), []),
  ),
})

/** The id of an email's file, and its time; null if the file is no email. */
export function mailOfFile(name: string): { id: string; at: number } | null {
  const [, year, month, day, hour, minute, second] = form.exec(name) ?? []
  if (year === undefined) return null
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(at) ? null : { id: name.slice(0, -'.json'.length), at }
}

/** The file name of an id; null if it is no id. */
export function mailFileName(id: string): string | null {
  return idForm.test(id) ? `${id}.json` : null
}

/** An email from the content of its file, which the site may have written in any other way; null if it is none. */
export function parseMail(id: string, content: Buffer): Mail | null {
  const file = mailOfFile(`${id}.json`)
  if (file === null || content.length > maxMailBytes) return null
  let value: unknown
  try {
    value = JSON.parse(content.toString('utf8'))
  } catch {
    return null
  }
  const { success, data } = storedMail.safeParse(value)
  if (!success) return null
  const headers = headersOf(data.headers)
  const valueOf = (name: string): string => headers.find((one) => one.name.toLowerCase() === name)?.value ?? ''
  const type = valueOf('content-type') || (data.content_type ?? '')
  const attachments = (data.attachments ?? []).slice(0, maxAttachments)
  return {
    ...file,
    to: oneLine(Array.isArray(data.to) ? data.to.slice(0, maxHeaders).join(', ') : data.to),
    from: oneLine(valueOf('from') || (data.from ?? '')),
    subject: oneLine(data.subject),
    bytes: content.length,
    headers,
    body: printable(data.message.slice(0, maxBody)),
    isHtml: /^\s*text\/html\b/i.test(type),
    isCut: data.message.length > maxBody,
    attachments: attachments.map(({ name, bytes }) => ({ name: oneLine(name), bytes })),
  }
}

/** What a list shows of it. */
export function summaryOf({ id, at, to, from, subject, attachments, bytes }: Mail): MailSummary {
  return { id, at, to, from, subject, attachments: attachments.length, bytes, unreadable: false }
}

/** PHP passes headers as one text or as a list; a line without a name continues nothing here. */
function headersOf(given: string | string[]): Mail['headers'] {
  const lines = Array.isArray(given) ? given : given.slice(0, 64 * 1024).split(/\r\n|\n|\r/)
  return lines.slice(0, maxHeaders).flatMap((line) => {
    const colon = line.indexOf(':')
    return colon <= 0 ? [] : [{ name: oneLine(line.slice(0, colon)), value: oneLine(line.slice(colon + 1)) }]
  })
}

const invisible = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g

function printable(long: string): string {
  return long.toWellFormed().replaceAll('\r\n', '\n').replace(invisible, '')
}

function oneLine(long: string): string {
  return printable(long.slice(0, maxText)).replaceAll('\n', ' ').trim()
}
