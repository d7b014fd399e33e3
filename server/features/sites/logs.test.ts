import { text as textOf } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isDownload } from '#server/contracts/files.ts'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { logChunk, mailPage } from '#shared/responses/site-logs.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { downloadLogMethod } from './download-log.ts'
import { downloadMailMethod } from './download-mail.ts'

let s: TestSites
let site: string
let mia: Session

beforeAll(async () => {
  s = await openTestSites()
  site = (await s.live('logged', { site_type: 'wp' })).name
  await s.running.documents.transaction(systemSession(), async (tx) => {
    await tx.insert(UserDoctype, { email: 'mia@acme.example', first_name: 'Mia', enabled: 1, email_verified: 1 })
    const row = { parent: 'acme', parenttype: 'Organization', parentfield: 'members', user: 'mia@acme.example' }
    await tx.insert(OrganizationMemberDoctype, { ...row, organization_role: 'Organization User' })
  })
  mia = sessionOf('mia@acme.example', 'acme')
})
afterAll(() => s.close())

const run = (action: string, args: Record<string, unknown> = {}, session: Session = s.owner) =>
  s.running.documents.runAction(session, 'Site', site, action, args)
const share = (bits: Record<string, unknown>) => run('share', { user: 'mia@acme.example', ...bits })
const never = () => Promise.reject(new Error('Not used here.'))
const context = (session: Session) => ({
  ...{
    session,
    documents: s.running.documents,
    ip: '203.0.113.7',
    userAgent: 'test browser',
    device: null,
    machineToken: null,
  },
  ...{ signIn: never, rememberDevice: never, signOut: never, notice: () => undefined, extra: () => undefined },
})
const download = (session: Session, log: 'php' | 'access') => {
  return downloadLogMethod.run({ site, log }, context(session))
}
const mail = {
  ...{
    id: 'mail-1',
    at: Date.UTC(2026, 10, 24),
    to: 'a@b.example',
    from: '',
    subject: 'Hi',
    bytes: 5,
    body: '<b>Hi</b>',
  },
  ...{ headers: [], isHtml: true, isCut: false, attachments: [] },
}

test('who can edit the site reads its logs by position and downloads them', async () => {
  s.engine.addToLog(site, 'php', 'one\ntwo\n')
  const first = logChunk.parse(await run('read_log', { log: 'php' }))
  expect(first).toMatchObject({ lines: ['one', 'two'], gap: null, more: false })
  s.engine.addToLog(site, 'php', 'three\n')
  expect(await run('read_log', { log: 'php', after: first.end })).toMatchObject({ lines: ['three'] })
  expect(await run('read_log', { log: 'php', from_start: 1 })).toMatchObject({ lines: ['one', 'two', 'three'] })
  for (const args of [{ log: 'php', after: 'x' }, { log: 'mail' }, { log: 'php', after: first.end, from_start: 1 }])
    expect(await rejectionOf(run('read_log', args))).toMatchObject({ code: 'invalid' })
  const file = await download(s.owner, 'php')
  if (!isDownload(file)) throw new Error('No download.')
  expect(file.fileName).toMatch(/^logged-php-\d{4}-\d{2}-\d{2}\.log$/)
  expect(await textOf(file.open())).toBe('one\ntwo\nthree\n')
  expect(await run('log_sources')).toMatchObject([{ name: 'php', bytes: 14 }, { name: 'debug' }, { name: 'access' }])
})

test('a search goes back through all of a log', async () => {
  await run('clear_log', { log: 'php' })
  const filler = Array.from({ length: 9_000 }, (_, at) => `line ${at}\n`).join('')
  s.engine.addToLog(site, 'php', `Needle one\n${filler}`)
  const end = logChunk.parse(await run('read_log', { log: 'php' }))
  expect(end.lines.join()).not.toContain('Needle')
  const found = logChunk.parse(await run('read_log', { log: 'php', before: end.start, containing: 'needle O' }))
  expect(found.lines[0]).toBe('Needle one')
  expect(found.start).toBeNull()
  const none = await run('read_log', { log: 'php', before: end.start, containing: 'n.*e' })
  expect(none).toMatchObject({ lines: [], start: null })
  for (const args of [{ from_start: 1 }, { after: end.end }])
    expect(await rejectionOf(run('read_log', { log: 'php', containing: 'x', ...args }))).toMatchObject({
      code: 'invalid',
      field: 'containing',
    })
  await run('clear_log', { log: 'php' })
})

test('captured mail is downloaded as a message that names no other headers than its own', async () => {
  s.engine.addMail(site, {
    ...mail,
    subject: 'Grüße',
    from: 'Shop <shop@b.example>',
    headers: [
      { name: 'Reply-To', value: 'reply@b.example' },
      { name: 'X-Order', value: '7 Bcc: hidden@b.example' },
      { name: 'Content-Type', value: 'application/x-evil' },
    ],
  })
  const file = await downloadMailMethod.run({ site, mail: 'mail-1' }, context(s.owner))
  if (!isDownload(file)) throw new Error('No download.')
  expect(file).toMatchObject({ fileName: 'logged-mail-1.eml', contentType: 'message/rfc822' })
  const [head = '', body] = (await textOf(file.open())).split('\r\n\r\n')
  expect(head.split('\r\n')).toEqual(
    expect.arrayContaining([
      'To: a@b.example',
      'From: Shop <shop@b.example>',
      'Reply-To: reply@b.example',
      'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
      'Date: Tue, 24 Nov 2026 00:00:00 +0000',
      'X-Order: 7 Bcc: hidden@b.example',
      'Content-Type: text/html; charset=utf-8',
    ]),
  )
  expect(head).not.toContain('evil')
  expect(body?.trim()).toBe('<b>Hi</b>')
  await run('delete_mail', { mail: 'mail-1' })
  expect(await rejectionOf(downloadMailMethod.run({ site, mail: 'mail-1' }, context(s.owner)))).toMatchObject({
    code: 'conflict',
  })
})

test('captured mail is listed once per version, read and deleted', async () => {
  s.engine.addMail(site, mail)
  const page = mailPage.parse(await run('list_mails'))
  expect(await run('list_mails', { search: 'nothing like it' })).toMatchObject({ total: 0, partial: false, mails: [] })
  expect(await run('list_mails', { search: 'hI' })).toMatchObject({ total: 1 })
  expect(page).toMatchObject({ total: 1, mails: [{ id: 'mail-1', at: '2026-11-24 00:00:00.000000' }] })
  expect(await run('list_mails', { known: page?.version })).toBeNull()
  expect(await run('read_mail', { mail: 'mail-1' })).toMatchObject({ body: '<b>Hi</b>', is_html: true })
  await run('delete_mail', { mail: 'mail-1' })
  expect(await rejectionOf(run('read_mail', { mail: 'mail-1' }))).toMatchObject({ code: 'conflict' })
})

test('emptying is recorded in the activity log, reading is not', async () => {
  await run('clear_log', { log: 'php' })
  expect(await run('read_log', { log: 'php' })).toMatchObject({ lines: [] })
  const entries = await s.running.documents.list(s.owner, 'Activity', {
    fields: ['action', 'after'],
    filters: [['reference_name', '=', site]],
  })
  const actions = entries.map(({ action }) => action)
  expect(actions).toContain('Site.clear_log')
  expect(actions).toContain('Site.delete_mail')
  expect(actions.filter((action) => String(action).includes('read_'))).toEqual([])
})

test('a member to whom the site is shared for viewing sees no logs and no mail', async () => {
  s.engine.addMail(site, mail)
  await share({ read: 1 })
  for (const action of [
    'log_sources',
    'read_log',
    'clear_log',
    'list_mails',
    'read_mail',
    'delete_mail',
    'clear_mails',
  ])
    expect(await rejectionOf(run(action, { log: 'php', mail: 'mail-1' }, mia))).toMatchObject({ code: 'forbidden' })
  expect(await rejectionOf(download(mia, 'php'))).toMatchObject({ code: 'forbidden' })
  expect(await rejectionOf(downloadMailMethod.run({ site, mail: 'mail-1' }, context(mia)))).toMatchObject({
    code: 'forbidden',
  })
  await share({ read: 1, write: 1 })
  expect(await run('list_mails', {}, mia)).toMatchObject({ total: 1 })
  expect(isDownload(await download(mia, 'php'))).toBe(true)
})
