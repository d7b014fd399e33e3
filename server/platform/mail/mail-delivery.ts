import { sql } from 'kysely'
import { createTransport } from 'nodemailer'
import type { Db } from '../database/database.ts'
import type { Log } from '../log/log.ts'
import { plainForTerminal, printedMail } from './mail-text.ts'

/**
 * State of a row of `easydash_mail`. Without `SMTP_URL` an email ends as `Printed` and keeps its text; the content of `Sent`
 * ones is deleted, because their links are secrets.
 */
type MailStatus = 'Queued' | 'Sending' | 'Sent' | 'Printed' | 'Failed'

/** Sends an email to an SMTP server. */
export type MailTransport = (message: {
  from: string
  to: string
  subject: string
  text: string
  html: string
}) => Promise<unknown>

/** What the delivery of emails needs. */
export interface DeliveryContext {
  readonly db: Db
  readonly log: Log
  /** Sender of all emails. */
  readonly mailFrom: string
  /** Null without an SMTP server: emails are printed to the terminal then. */
  readonly transport: MailTransport | null
  readonly print: (text: string) => void
}

/** An email that this process has claimed for delivery. */
interface ClaimedMail {
  readonly id: number
  readonly kind: string
  /** Attempts so far, this one included. */
  readonly attempts: number
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Minutes before the next attempt; after the last one the email is `Failed`. */
const RETRY_MINUTES = [1, 5, 15, 60, 240, 720]
/** The claim of a process that died while sending expires after this time. */
const CLAIM_MINUTES = 5

/** A transport that sends emails to the SMTP server at this URL. */
export function smtpTransport(url: string): MailTransport {
  const transporter = createTransport(url, { disableFileAccess: true, disableUrlAccess: true })
  return (message) => transporter.sendMail(message)
}

/** Time for each part of the check, in milliseconds. */
const checkTimeoutMs = 5000

/**
 * Connects and logs in to the SMTP server at this URL without sending anything. Returns null if that works, else a short
 * reason without the server's own text, which may repeat the login.
 */
export async function checkSmtp(url: string): Promise<string | null> {
  const transporter = createTransport({
    url,
    disableFileAccess: true,
    disableUrlAccess: true,
    connectionTimeout: checkTimeoutMs,
    greetingTimeout: checkTimeoutMs,
    socketTimeout: checkTimeoutMs,
  })
  try {
    await transporter.verify()
    return null
  } catch (error) {
    const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
    const parts = [code, responseCode].filter((part) => typeof part === 'string' || typeof part === 'number')
    return parts.join(' ') || 'no answer'
  } finally {
    transporter.close()
  }
}

/** Claims the next due email for this process; undefined if none is due. */
export async function claimMail({ db }: DeliveryContext): Promise<ClaimedMail | undefined> {
  const { rows } = await sql<ClaimedMail>`
    update easydash_mail set status = 'Sending', attempts = attempts + 1,
      next_try = (now() at time zone 'utc') + make_interval(mins => ${CLAIM_MINUTES})
    where id = (select id from easydash_mail where status in ('Queued', 'Sending') and next_try <= now() at time zone 'utc'
                order by next_try, id limit 1 for update skip locked)
    returning id, kind, attempts, "to", subject, text, html`.execute(db)
  return rows[0]
}

/** Sends or prints a claimed email. If sending fails, it becomes due again later, or `Failed` after the last attempt. */
export async function deliverMail(context: DeliveryContext, mail: ClaimedMail): Promise<void> {
  const { transport, mailFrom } = context
  const { to, subject, text, html } = mail
  if (!transport) {
    context.print(printedMail(mail))
    await markPrinted(context, mail)
    return
  }
  try {
    await transport({ from: mailFrom, to, subject, text, html })
    await markSent(context, mail)
  } catch (error) {
    await recordFailure(context, mail, error)
  }
}

async function markPrinted({ db }: DeliveryContext, { id }: ClaimedMail): Promise<void> {
  await db
    .updateTable('easydash_mail')
    .set({ status: 'Printed' satisfies MailStatus, sent: sql`now() at time zone 'utc'` })
    .where('id', '=', id)
    .execute()
}

async function markSent({ db }: DeliveryContext, { id }: ClaimedMail): Promise<void> {
  await db
    .updateTable('easydash_mail')
    .set({ status: 'Sent' satisfies MailStatus, sent: sql`now() at time zone 'utc'`, error: null, text: '', html: '' })
    .where('id', '=', id)
    .execute()
}

async function recordFailure(context: DeliveryContext, mail: ClaimedMail, error: unknown): Promise<void> {
  const { id, kind, attempts } = mail
  const minutes = RETRY_MINUTES[attempts - 1]
  const reason = plainForTerminal(error instanceof Error ? error.message : String(error)).slice(0, 500)
  context.log.warn('A mail could not be delivered', { mail: id, kind, attempts, error, finally: minutes === undefined })
  await context.db
    .updateTable('easydash_mail')
    .set({
      status: (minutes === undefined ? 'Failed' : 'Queued') satisfies MailStatus,
      error: reason,
      next_try: sql`(now() at time zone 'utc') + make_interval(mins => ${minutes ?? 0})`,
    })
    .where('id', '=', id)
    .execute()
}
