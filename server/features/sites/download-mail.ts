import { createTransport } from 'nodemailer'
import { Readable } from 'node:stream'
import { download } from '#server/contracts/files.ts'
import { defineMethod } from '#server/contracts/method.ts'
import { parseTimestamp } from '#server/jobs/clock.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { data } from '#shared/fields.ts'
import { mailMessage, type MailMessage } from '#shared/responses/site-logs.ts'
import { binary, described } from '#shared/schema.ts'

/** Headers that are written anew, because they describe the file or have a field of their own. */
const ownHeaders = /^(?:content-.*|mime-version|from|to|cc|reply-to|subject|date|message-id)$/i

/** Writes messages instead of sending them; what they name is never fetched or read. */
const writer = createTransport(
  { streamTransport: true, buffer: true, newline: 'windows' },
  { disableFileAccess: true, disableUrlAccess: true },
)

/** Downloads a captured email as a message file (RFC 5322), which mail programs open. Its attachments are not kept. */
export const downloadMailMethod = defineMethod({
  name: 'easydash.api.site.download_mail',
  access: 'verified',
  // POST, like all calls that reach a site.
  verbs: ['POST'],
  tokens: 'sites:write',
  params: { site: data({ reqd: true }), mail: data({ reqd: true, length: 40 }) },
  description:
    'A captured email as a message file (.eml), without its attachments. Who may read it is decided by `read_mail`.',
  returns: described(binary, 'The message.'),
  async run({ site: name, mail: id }, { session, documents }) {
    const site = await documents.get(session, SiteDoctype, name)
    const mail = mailMessage.parse(await documents.runAction(session, 'Site', site.name, 'read_mail', { mail: id }))
    const content = await messageOf(mail)
    return download({
      fileName: `${site.domain}-${mail.id}.eml`,
      contentType: 'message/rfc822',
      length: content.length,
      tag: null,
      open: () => Readable.from([content]),
    })
  },
})

async function messageOf({ to, from, subject, at, headers, body, is_html: isHtml }: MailMessage): Promise<Buffer> {
  const valueOf = (wanted: string) => headers.find(({ name }) => name.toLowerCase() === wanted)?.value
  const { message } = await writer.sendMail({
    to,
    from,
    cc: valueOf('cc'),
    replyTo: valueOf('reply-to'),
    subject,
    date: new Date(parseTimestamp(at)),
    headers: headers.filter(({ name }) => !ownHeaders.test(name)).map(({ name, value }) => ({ key: name, value })),
    ...(isHtml ? { html: body } : { text: body }),
  })
  if (!Buffer.isBuffer(message)) throw new TypeError('The message is not in memory.')
  return message
}
