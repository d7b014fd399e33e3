import { sql } from 'kysely'
import type { Database, Db } from '../database/database.ts'
import type { Log } from '../log/log.ts'
import { namedTask, runTask } from '../log/loop-watchdog.ts'
import { claimMail, deliverMail, smtpTransport, type DeliveryContext, type MailTransport } from './mail-delivery.ts'

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
  transport?: MailTransport
}

const CHANNEL = 'easydash_mail'
/** Notifications can be missed, and retries and expired claims become due without one. */
const LOOK_EVERY_MS = 30_000
const KEEP_DAYS = 30

/** State of the mailer of this process. */
interface MailerContext {
  readonly database: MailerOptions['database']
  readonly log: Log
  readonly delivery: DeliveryContext
  stopped: boolean
  /** The delivery under way; null if there is none. */
  working: Promise<void> | null
  /** Whether the delivery under way has to look for due emails once more. */
  again: boolean
  timer: NodeJS.Timeout | null
  unlisten: (() => void) | null
}

/** Creates the mailer; `start` starts delivery. */
export function createMailer(options: MailerOptions): Mailer {
  const context = openContext(options)
  return {
    send: (trx, mail) => addToOutbox(context, trx, mail),
    start: () => startDelivery(context),
    async idle() {
      deliverDue(context)
      await context.working
    },
    async stop() {
      context.stopped = true
      context.unlisten?.()
      if (context.timer) clearInterval(context.timer)
      await context.working
    },
  }
}

function openContext({ config, database, log, print, transport }: MailerOptions): MailerContext {
  return {
    database,
    log,
    delivery: {
      db: database.db,
      log,
      mailFrom: config.mailFrom,
      transport: transport ?? (config.smtpUrl === null ? null : smtpTransport(config.smtpUrl)),
      print: print ?? ((text: string) => process.stdout.write(text)),
    },
    stopped: false,
    working: null,
    again: false,
    timer: null,
    unlisten: null,
  }
}

/** Whether a text is a valid single recipient: `name@domain`, no lists, no line breaks. */
function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@,;:<>()[\]"\\]+@[^\s@,;:<>()[\]"\\]+$/.test(text)
}

async function addToOutbox({ database }: MailerContext, trx: Db | null, mail: Mail): Promise<void> {
  if (!isAddress(mail.to)) throw new TypeError('The recipient of a mail must be one address.')
  const subject = mail.subject.replace(/[\r\n]+/g, ' ')
  const insert = async (within: Db) => {
    const { to, text, html, kind } = mail
    await within.insertInto('easydash_mail').values({ to, subject, text, html, kind }).execute()
    await database.notify(within, CHANNEL, '')
  }
  await (trx ? insert(trx) : database.db.transaction().execute(insert))
}

async function startDelivery(context: MailerContext): Promise<void> {
  const { database, log } = context
  const deliver = () => deliverDue(context)
  context.unlisten = await database.listen(CHANNEL, deliver, { onReconnect: deliver })
  context.timer = setInterval(() => {
    deliver()
    deleteOld(database.db).catch((error: unknown) => log.warn('Old mails could not be deleted', { error }))
  }, LOOK_EVERY_MS)
  context.timer.unref()
  deliver()
}

/** Starts delivering what is due, or makes the delivery under way look once more. Failures are logged. */
function deliverDue(context: MailerContext): void {
  context.again = true
  if (context.stopped) return
  context.working ??= runTask(namedTask('mail delivery'), () => deliverAll(context))
    .catch((error: unknown) => context.log.error('Mail delivery stopped for now', { error }))
    .finally(() => {
      context.working = null
    })
}

async function deliverAll(context: MailerContext): Promise<void> {
  const { delivery } = context
  do {
    context.again = false
    for (let mail = await claimMail(delivery); mail && !context.stopped; mail = await claimMail(delivery))
      await deliverMail(delivery, mail)
  } while (context.again && !context.stopped)
}

async function deleteOld(db: Db): Promise<void> {
  await db
    .deleteFrom('easydash_mail')
    .where('created', '<', sql`(now() at time zone 'utc') - make_interval(days => ${KEEP_DAYS})`)
    .execute()
}
