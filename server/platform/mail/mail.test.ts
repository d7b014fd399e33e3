import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { startMailServer } from '#tests/support/mail-server.ts'
import { silentLog, type LogFields } from '../log/log.ts'
import { linksOf, printedMail } from './mail-text.ts'
import { countMails } from './mail-outbox.ts'
import { createMailer, type Mailer, type MailerOptions } from './mail.ts'
import { platformTables } from '../database/platform-tables.ts'

let server: TestDatabase
let mailers: Mailer[] = []
const mail = {
  to: 'ann@example.com',
  subject: 'Verify your e-mail',
  text: 'Open http://localhost:8080/web/verify-email?token=canary.',
  html: '<a href="http://localhost:8080/x?token=canary">x</a>',
  kind: 'verify_email',
}

beforeAll(async () => {
  server = await createTestDatabase()
  await platformTables(server.database.db)
})
afterAll(() => server.drop())
afterEach(async () => {
  await Promise.all(mailers.map((mailer) => mailer.stop()))
  mailers = []
  await server.database.pool.query('truncate easydash_mail')
})

function make(options: Partial<MailerOptions> = {}): Mailer {
  const mailer = createMailer({
    config: { smtpUrl: null, mailFrom: 'Easydash <dash@example.com>' },
    database: server.database,
    log: silentLog,
    print: () => undefined,
    ...options,
  })
  mailers.push(mailer)
  return mailer
}
const rows = async () =>
  (await server.database.pool.query('select * from easydash_mail order by id')).rows as Record<string, unknown>[]
const due = () => server.database.pool.query("update easydash_mail set next_try = next_try - interval '1 day'")

test('without SMTP a mail is printed with its links after the commit, and kept', async () => {
  const printed = Promise.withResolvers<string>()
  const mailer = make({ print: printed.resolve })
  await mailer.start()
  await server.database.db.transaction().execute(async (trx) => {
    await mailer.send(trx, mail)
    await mailer.idle()
    expect(await rows()).toEqual([])
  })
  expect(await printed.promise).toBe(
    '✉ Mail to ann@example.com: Verify your e-mail\n  http://localhost:8080/web/verify-email?token=canary\n',
  )
  await mailer.idle()
  expect(await rows()).toMatchObject([
    { to: 'ann@example.com', status: 'Printed', text: mail.text, kind: 'verify_email', attempts: 1 },
  ])
})

test('a mail of a transaction that rolled back does not exist', async () => {
  const print = vi.fn<(text: string) => void>()
  const mailer = make({ print })
  await expect(
    server.database.db.transaction().execute(async (trx) => {
      await mailer.send(trx, mail)
      throw new Error('stop')
    }),
  ).rejects.toThrow('stop')
  await mailer.idle()
  expect(print).not.toHaveBeenCalled()
})

test('mail queued before the start is delivered; several processes deliver each mail once', async () => {
  const sent: string[] = []
  const transport: MailerOptions['transport'] = async (message) => void sent.push(message.subject)
  const [one, two, three] = [make({ transport }), make({ transport }), make({ transport })]
  for (let n = 0; n < 12; n += 1) await one.send(null, { ...mail, subject: `mail ${n}` })
  await Promise.all([one, two, three].map((mailer) => mailer.start()))
  await Promise.all([one, two, three].map((mailer) => mailer.idle()))
  expect(sent.toSorted()).toEqual(Array.from({ length: 12 }, (_, n) => `mail ${n}`).toSorted())
  expect(await rows()).toEqual(
    Array.from({ length: 12 }, () => expect.objectContaining({ status: 'Sent', text: '', html: '' })),
  )
})

test('a refused mail is tried again later, its links stay out of the log, and in the end it is Failed', async () => {
  const logged: LogFields[] = []
  let tries = 0
  const mailer = make({
    log: { ...silentLog, warn: (_message, fields) => void logged.push(fields ?? {}) },
    transport: async () => {
      tries += 1
      throw new Error('450 mailbox\r\nbusy')
    },
  })
  await mailer.send(null, mail)
  await mailer.idle()
  await mailer.idle()
  expect(tries).toBe(1)
  expect(await rows()).toMatchObject([{ status: 'Queued', error: '450 mailbox busy', attempts: 1 }])
  expect(await countMails(server.database.db)).toMatchObject({ queued: 1, delayed: 0, failed: 0 })
  await server.database.pool.query("update easydash_mail set created = created - interval '11 minutes'")
  expect(await countMails(server.database.db)).toMatchObject({ queued: 1, delayed: 1, failed: 0 })
  for (let n = 0; n < 10; n += 1) {
    await due()
    await mailer.idle()
  }
  expect(tries).toBe(7)
  expect(await rows()).toMatchObject([{ status: 'Failed', attempts: 7 }])
  expect(JSON.stringify(logged)).not.toContain('canary')
})

test('a mail whose sender died is taken over when its claim ends, not before', async () => {
  const sent = vi.fn<() => Promise<void>>(() => Promise.resolve())
  const mailer = make({ transport: sent })
  await mailer.send(null, mail)
  await server.database.pool.query(
    "update easydash_mail set status = 'Sending', attempts = 1, next_try = (now() at time zone 'utc') + interval '5 minutes'",
  )
  await mailer.idle()
  expect(sent).not.toHaveBeenCalled()
  await due()
  await mailer.idle()
  expect(sent).toHaveBeenCalledOnce()
})

test('it speaks SMTP', async () => {
  const smtp = await startMailServer()
  const mailer = make({ config: { smtpUrl: smtp.url, mailFrom: 'Easydash <dash@example.com>' } })
  await mailer.send(null, mail)
  await mailer.idle()
  const received = await smtp.received('ann@example.com', /^Verify your e-mail/)
  expect(received.from).toBe('dash@example.com')
  expect(received.content).toContain('token=canary')
  expect(await rows()).toMatchObject([{ status: 'Sent' }])
  smtp.close()
})

test.each(['', 'ann', 'a@b, c@d', 'Ann <a@b>', 'a@b\r\nBcc: c@d', 'a b@c', 'a@b@c'])(
  '%j is no recipient',
  async (to) => {
    await expect(make().send(null, { ...mail, to })).rejects.toThrow(TypeError)
  },
)

test('a subject is one line, and printed text cannot steer the terminal', async () => {
  await make().send(null, { ...mail, subject: 'Hello\r\nBcc: x@y' })
  expect(await rows()).toMatchObject([{ subject: 'Hello Bcc: x@y' }])
  expect(printedMail({ to: 'a@b', subject: '\u001B[2J\u202Ehi', text: 'x' })).toBe('✉ Mail to a@b: [2J hi\n')
})

test('links end before the punctuation of the sentence', () => {
  expect(
    linksOf('See https://a.test/x?y=1. Or (https://b.test/), "http://c.test/z"; again https://a.test/x?y=1!'),
  ).toEqual(['https://a.test/x?y=1', 'https://b.test/', 'http://c.test/z'])
})
