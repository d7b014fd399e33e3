import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import type { ActivityEntry } from '#server/contracts/transaction.ts'
import { silentLog } from '#server/platform/log/log.ts'
import type { Mail } from '#server/platform/mail/mail.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'
import { msg } from '#shared/localized-message.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { notifyPeople } from './notify.ts'
import { createNotifications } from './notifications.ts'

let t: TestDocuments
let site: string
const mails: Mail[] = []
const owner = sessionOf('owner@acme.example', 'acme')
const [manager, mia, uli] = ['manager', 'mia', 'uli'].map((name) => sessionOf(`${name}@acme.example`, 'acme')) as [
  Session,
  Session,
  Session,
]
const everybody = [owner, manager, mia, uli, sessionOf('owner@globex.example', 'globex')]

const deps = {
  documents: () => t.documents,
  log: silentLog,
  mailer: { send: (_trx: unknown, mail: Mail) => Promise.resolve(void mails.push(mail)) },
  sender: { productName: 'Easydash', url: 'http://dash.test' },
}
const notify = () => notifyPeople(deps)

beforeAll(async () => {
  t = await createTestDocuments()
  await t.organization('acme')
  await t.organization('globex')
  await t.member('acme', manager.user, 'Organization Manager')
  for (const { user } of [mia, uli]) await t.member('acme', user, 'Organization User')
  site = await t.documents.transaction(t.system, async (tx) => {
    for (const { user } of everybody)
      await tx.update(UserDoctype, user, { email_verified: 1, roles: ['Easydash User'], enabled: 1 })
    const values = { organization: 'acme', domain: 'blog', server: 'any', site_type: 'html', status: 'Live' } as const
    const { name } = await tx.insert(SiteDoctype, values)
    const share = { organization: 'acme', share_doctype: 'Site', share_name: name, user: mia.user, read: 1 } as const
    await tx.insert('DocShare', share)
    await tx.insert(UserMetaDoctype, { user: uli.user, current_organization: 'acme' })
    await tx.insert(UserMetaDoctype, { user: manager.user, preferences: { notification_mails: 'all' } })
    return name
  })
  await notify()
})
afterAll(() => t.close())
beforeEach(() => void mails.splice(0))

const record = (...entries: ActivityEntry[]) =>
  t.documents.transaction(t.system, async (tx) => {
    for (const entry of entries) await tx.activity(entry)
  })
const ofSite = (): Pick<
  ActivityEntry,
  'organization' | 'reference_doctype' | 'reference_name' | 'reference_title'
> => ({
  ...{ organization: 'acme', reference_doctype: 'Site', reference_name: site, reference_title: 'blog' },
})
const rows = (session: Session, filters: unknown = []) =>
  t.documents.list(session, 'Notification Log', {
    fields: ['name', 'user', 'subject', 'body', 'event', 'severity', 'read', 'reference_name', 'job'],
    filters,
    order_by: 'created desc',
  })
/** Who has how many notifications about an event. */
const counts = async (event: string) =>
  Promise.all(everybody.map(async (session) => (await rows(session, [['event', '=', event]])).length))

test('an entry of the log notifies everyone who can read it, once, and nobody else', async () => {
  await record({
    action: 'Site.went_down',
    result: 'Failed',
    detail: msg`The page answered with status ${500}.`,
    ...ofSite(),
  })
  const told: string[] = []
  const stop = t.documents.onEvent(({ doctype, reader }) => {
    if (doctype === 'Notification Log') told.push(reader ?? 'everybody')
  })
  await Promise.all([notify(), notify()])
  await notify()
  stop()
  expect(told.toSorted()).toEqual([manager.user, mia.user, owner.user])
  expect(await counts('site_down')).toEqual([1, 1, 1, 0, 0])
  expect(await rows(mia)).toEqual([
    expect.objectContaining({
      ...{ user: mia.user, subject: 'blog is down', body: 'The page answered with status 500.', reference_name: site },
      ...{ severity: 'critical', read: 0 },
    }),
  ])
  // Critical ones are sent by email until people choose.
  expect(mails.map(({ to }) => to).toSorted()).toEqual([manager.user, mia.user, owner.user])
  expect(mails[0]?.text).toContain(`http://dash.test/web/site/${site}#monitoring`)
})

test('a job that two documents are about fails once, and a second failure is another one', async () => {
  const job = await t.documents.transaction(t.system, async (tx) => {
    const values = { organization: 'acme', job_type: 'site.clone', label: 'Clone blog', status: 'Failed' } as const
    return (await tx.insert(JobDoctype, { ...values, reference_title: 'blog' })).name
  })
  const failed = { action: 'site.clone', result: 'Failed', job, after: { error_message: 'The disk is full.' } } as const
  await record({ ...failed, ...ofSite(), reference_name: 'other00000' }, { ...failed, ...ofSite() })
  await notify()
  expect(await counts('job_failed')).toEqual([1, 1, 1, 0, 0])
  expect((await rows(owner))[0]).toMatchObject({ subject: 'Failed: Clone blog', body: 'The disk is full.', job })
  expect(mails.map(({ to }) => to)).toEqual([manager.user])
  await record({ ...failed, ...ofSite() }, { ...failed, action: 'Site.set_title', job: null, ...ofSite() })
  await notify()
  expect(await counts('job_failed')).toEqual([2, 2, 2, 0, 0])
})

test('a new login is told to its own account only, and about it no second email is sent', async () => {
  await record({
    ...{ action: 'account.new_sign_in', actor: uli.user, detail: msg`Firefox on Linux`, organization: null },
    ...{ reference_doctype: 'User', reference_name: uli.user, reference_title: uli.user },
  })
  await notify()
  expect(await counts('new_sign_in')).toEqual([0, 0, 0, 1, 0])
  expect(mails).toEqual([])
})

test('people mark their own as read, and lose sight of what they can’t read any more', async () => {
  const [mine] = await rows(mia)
  const name = String(mine?.['name'])
  await expect(t.documents.save(owner, 'Notification Log', name, { read: 1 })).rejects.toMatchObject({
    code: expect.stringMatching(/forbidden|not_found/),
  })
  await expect(t.documents.save(mia, 'Notification Log', name, { subject: 'x' })).resolves.toMatchObject({ read: 0 })
  await t.documents.save(mia, 'Notification Log', name, { read: 1 })
  const unread = (session: Session) => t.documents.count(session, 'Notification Log', { filters: [['read', '=', 0]] })
  expect([await unread(mia), await unread(owner)]).toEqual([2, 3])
  const [markAll] = createNotifications(deps).methods ?? []
  await markAll?.run({}, { session: mia, documents: t.documents } as never)
  expect([await unread(mia), await unread(owner)]).toEqual([0, 3])
  await t.documents.transaction(t.system, (tx) => tx.deleteWhere('DocShare', [['user', '=', mia.user]]))
  expect([await rows(mia), (await rows(owner)).length]).toEqual([[], 3])
})
