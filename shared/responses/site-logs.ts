import * as z from 'zod/mini'
import { logNames } from '../rules/site-logs.ts'
import { described, nothing, timestamp } from '../schema.ts'

/** Logs that a site can have (`log_sources`). */
export const logSources = z.array(
  z.object({
    name: z.enum(logNames),
    bytes: described(z.nullable(z.int()), 'Null until something was written'),
    changed: described(z.nullable(timestamp), 'Last write'),
  }),
)

/** Lines of a log (`read_log`). */
export const logChunk = z.object({
  lines: described(z.array(z.string()), 'Oldest first, without control characters; cut after 4 KiB'),
  partial: described(z.string(), 'What the log ends with if that is not a complete line yet; it comes again as a line'),
  end: described(z.string(), 'Position after these lines, for `after`'),
  start: described(z.nullable(z.string()), 'Position before them, for `before`; null at the beginning of the log'),
  more: described(z.boolean(), 'More lines follow already'),
  gap: described(
    z.nullable(z.enum(['emptied', 'removed'])),
    'Lines are missing before these: the log was emptied, or its file was removed or replaced, since the position',
  ),
})

/** What `easydash.api.site.logs` reads: the logs, and the emails that were kept instead of sent. */
export const readableLogs = [...logNames, 'mail'] as const

/** How severe a line of a log is (`easydash.api.site.logs`). */
export const lineLevels = ['error', 'warning', 'notice', 'info'] as const

/** A part of a log, as `easydash.api.site.logs` returns it. */
export const readLines = z.object({
  lines: z.array(
    z.object({
      n: described(z.int(), 'Number of its first line in the log, from 1; of an email, its place from the newest'),
      at: described(z.nullable(timestamp), 'Null: the log does not say when'),
      level: z.enum(lineLevels),
      text: described(z.string(), 'Several lines if they belong together, as a stack trace does'),
      count: described(z.int(), 'How often it is in this part; the time is that of the last one'),
    }),
  ),
  cursor: described(z.string(), 'What follows these lines; `done` or not, what is written later comes there'),
  done: described(z.boolean(), 'Nothing follows yet'),
})

/** A part of a log. */
export type LogChunk = z.infer<typeof logChunk>

const mailHead = {
  id: z.string(),
  at: timestamp,
  to: z.string(),
  from: z.string(),
  subject: z.string(),
  bytes: z.int(),
}

const mailSummary = z.object({
  ...mailHead,
  attachments: described(z.int(), 'Number of attachments'),
  unreadable: described(z.boolean(), 'Too large or damaged: nothing but id, time and size is known'),
})

/** An email in a list. */
export type MailSummary = z.infer<typeof mailSummary>

/** Captured emails (`list_mails`). */
export const mailPage = z.union([
  z.object({
    mails: described(z.array(mailSummary), 'Newest first, at most 50'),
    total: described(z.int(), 'Number of all; of a search, of its matches'),
    partial: described(z.boolean(), 'A search left out the oldest emails of a large mailbox'),
    version: described(z.string(), 'State of the mailbox, for `known`'),
  }),
  nothing,
])

/** A captured email (`read_mail`). */
export const mailMessage = z.object({
  ...mailHead,
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
  body: described(z.string(), 'As the site wrote it: foreign text, or HTML that nobody sanitized'),
  is_html: z.boolean(),
  cut: described(z.boolean(), 'The body is longer'),
  attachments: described(
    z.array(z.object({ name: z.string(), bytes: z.nullable(z.int()) })),
    'Their names; their content is not kept',
  ),
})

/** A captured email. */
export type MailMessage = z.infer<typeof mailMessage>
