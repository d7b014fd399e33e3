import { sql } from 'kysely'
import { createTransport } from 'nodemailer'
import type { Database, Db } from '../database/database.ts'
import type { Log } from '../log/log.ts'
import { namedTask, runTask } from '../log/loop-watchdog.ts'
import { plainForTerminal, printedMail } from './mail-text.ts'

/** An email to one recipient. */
export interface Mail {
  /** One address, no name. */
  to: string
  subject: string
  text: string
  html: string
  /** Purpose, e.g. `verify_email`; shown in the outbox. */
  kind: string
}

/**
 * State of a row of `easydash_mail`. Without `SMTP_URL` an email ends as `Printed` and keeps its text; the content of `Sent`
 * ones is deleted, because their links are secrets.
 */
type MailStatus = 'Queued' | 'Sending' | 'Sent' | 'Printed' | 'Failed'

/** The outbox and its delivery. */
export interface Mailer {
  /** Adds an email to the outbox, in the caller's transaction if one is given; it is delivered after the commit. */
  send(trx: Db | null, mail: Mail): Promise<void>
  /** Starts delivery in this process: pending emails and all later ones. Several processes share the work. */
  start(): Promise<void>
  /** Resolves when no email is due; for tests and for stopping. */
  idle(): Promise<void>
  /** Stops delivery; an email that is being sent is finished first. */
  stop(): Promise<void>
}

/** Options of a mailer. */
export interface MailerOptions {
  config: { smtpUrl: string | null; mailFrom: string }
  database: Pick<Database, 'db' | 'listen' | 'notify'>
  log: Log
  /** Prints an email to the terminal if no SMTP server is configured; it contains links that must not reach a log. */
  print?: (text: string) => void
  /** Sends an email to an SMTP server; replaced in tests. */
  transport?: (message: { from: string; to: string; subject: string; text: string; html: string }) => Promise<unknown>
}

const CHANNEL = 'easydash_mail'
/** Minutes before the next attempt; after the last one the email is `Failed`. */
const RETRY_MINUTES = [1, 5, 15, 60, 240, 720]
/** The claim of a process that died while sending expires after this time. */
const CLAIM_MINUTES = 5
/** Notifications can be missed, and retries and expired claims become due without one. */
const LOOK_EVERY_MS = 30_000
const KEEP_DAYS = 30

/** Whether a text is a valid single recipient: `name@domain`, no lists, no line breaks. */
function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@,;:<>()[\]"\\]+@[^\s@,;:<>()[\]"\\]+$/.test(text)
}

function smtpTransport(url: string): NonNullable<MailerOptions['transport']> {
  const transporter = createTransport(url, { disableFileAccess: true, disableUrlAccess: true })
  return (message) => transporter.sendMail(message)
}

/** An email of the outbox that this process delivers. */
interface ClaimedMail {
  id: number
  kind: string
  attempts: number
  to: string
  subject: string
  text: string
  html: string
}

/** Creates the mailer; `start` starts delivery. */
export function createMailer(options: MailerOptions): Mailer {
  const { config, database, log } = options
  const { db } = database
  const print = options.print ?? ((text: string) => process.stdout.write(text))
  const transport = options.transport ?? (config.smtpUrl === null ? null : smtpTransport(config.smtpUrl))
  let stopped = false
  let working: Promise<void> | null = null
  let again = false
  let timer: NodeJS.Timeout | null = null
  let unlisten: (() => void) | null = null

  async function deliver({ id, kind, attempts, ...mail }: ClaimedMail): Promise<void> {
    if (!transport) {
      print(printedMail(mail))
      await db
        .updateTable('easydash_mail')
        .set({ status: 'Printed' satisfies MailStatus, sent: sql`now() at time zone 'utc'` })
        .where('id', '=', id)
        .execute()
      return
    }
    try {
      await transport({ from: config.mailFrom, ...mail })
      await db
        .updateTable('easydash_mail')
        .set({
          status: 'Sent' satisfies MailStatus,
          sent: sql`now() at time zone 'utc'`,
          error: null,
          text: '',
          html: '',
        })
        .where('id', '=', id)
        .execute()
    } catch (error) {
      const minutes = RETRY_MINUTES[attempts - 1]
      const reason = plainForTerminal(error instanceof Error ? error.message : String(error)).slice(0, 500)
      log.warn('A mail could not be delivered', {
        mail: id,
        kind,
        attempts,
        error,
        finally: minutes === undefined,
      })
      await db
        .updateTable('easydash_mail')
        .set({
          status: (minutes === undefined ? 'Failed' : 'Queued') satisfies MailStatus,
          error: reason,
          next_try: sql`(now() at time zone 'utc') + make_interval(mins => ${minutes ?? 0})`,
        })
        .where('id', '=', id)
        .execute()
    }
  }

  /** Claims the next due email for this process. */
  async function claim(): Promise<ClaimedMail | undefined> {
    const { rows } = await sql<ClaimedMail>`
      update easydash_mail set status = 'Sending', attempts = attempts + 1,
        next_try = (now() at time zone 'utc') + make_interval(mins => ${CLAIM_MINUTES})
      where id = (select id from easydash_mail where status in ('Queued', 'Sending') and next_try <= now() at time zone 'utc'
                  order by next_try, id limit 1 for update skip locked)
      returning id, kind, attempts, "to", subject, text, html`.execute(db)
    return rows[0]
  }

  async function work(): Promise<void> {
    do {
      again = false
      for (let row = await claim(); row && !stopped; row = await claim()) await deliver(row)
    } while (again && !stopped)
  }

  const kick = () => {
    again = true
    if (stopped) return
    working ??= runTask(namedTask('mail delivery'), work)
      .catch((error: unknown) => log.error('Mail delivery stopped for now', { error }))
      .finally(() => {
        working = null
      })
  }

  return {
    async send(trx, mail) {
      if (!isAddress(mail.to)) throw new TypeError('The recipient of a mail must be one address.')
      const subject = mail.subject.replace(/[\r\n]+/g, ' ')
      const insert = async (within: Db) => {
        const { to, text, html, kind } = mail
        await within.insertInto('easydash_mail').values({ to, subject, text, html, kind }).execute()
        await database.notify(within, CHANNEL, '')
      }
      await (trx ? insert(trx) : db.transaction().execute(insert))
    },
    async start() {
      unlisten = await database.listen(CHANNEL, kick, { onReconnect: kick })
      timer = setInterval(() => {
        kick()
        db.deleteFrom('easydash_mail')
          .where('created', '<', sql`(now() at time zone 'utc') - make_interval(days => ${KEEP_DAYS})`)
          .execute()
          .catch((error: unknown) => log.warn('Old mails could not be deleted', { error }))
      }, LOOK_EVERY_MS)
      timer.unref()
      kick()
    },
    async idle() {
      kick()
      await working
    },
    async stop() {
      stopped = true
      unlisten?.()
      if (timer) clearInterval(timer)
      await working
    },
  }
}
