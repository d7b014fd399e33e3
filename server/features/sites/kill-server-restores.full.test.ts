import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelCrashPoints, crashPointName } from '#server/jobs/crash-point.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { expectDone, killAndCancel, killAtWork, openEeKills, type EeKills } from '#tests/support/ee-kills.ts'
import { watchPrograms, type Moments } from '#tests/support/ee-moments.ts'
import { afterEffects, beforeEffects } from '#tests/support/effects.ts'

/**
 * kill -9 of the process before and after the effects of steps while a site on a server is restored in place, while that is taken back, and while
 * a backup becomes a new site there: the job goes on and ends, or is canceled. The site answers its old state or its new one, or keeps visitors out.
 */

/** Many processes start, one after the other. */
const timeout = 1_800_000

let t: EeKills
let moments: Moments
let live: Site
let backup: string
/** The site as it is in the backup, and as it was before that was restored. */
let states: { readonly backedUp: Fingerprint; readonly changed: Fingerprint }
type Fingerprint = Readonly<Record<string, string>>

beforeAll(async () => {
  t = await openEeKills()
  moments = await watchPrograms(t.server)
  live = await t.makeLive('live.example.com', 'Live')
  await t.write(live, 'wp-content/uploads/own.txt', 'of the site')
  const made = await t.act(live, 'backup')
  expectDone(await t.work(made.job))
  backup = String(made['name'])
  const backedUp = await t.fingerprint(live)
  states = { backedUp, changed: backedUp }
}, 600_000)
afterAll(() => t?.close())

/** Without the backup before: `kill-direct-backups.full.test.ts` kills that. */
const restore = (args: Record<string, unknown>) =>
  t.act({ doctype: 'Site Backup', name: backup }, 'restore', { ...args, backup_first: 0 })
const backupNow = () =>
  t.running.documents.transaction(systemSession(), (tx) =>
    tx.get(SiteBackupDoctype, backup),
  ) as Promise<SiteBackup | null>

let changes = 0
/** Makes the site differ from its backup in files and database. */
async function change(): Promise<void> {
  changes += 1
  await t.write(live, 'wp-content/later.txt', `later ${changes}`)
  const content = await t.readDatabase(live)
  content.options['blogname'] = `Later ${changes}`
  await t.writeDatabase(live, content)
  states = { ...states, changed: await t.fingerprint(live) }
}

/** What visitors get while nothing goes on: one state or the other, or the page that keeps them out. */
async function expectOneState(): Promise<void> {
  const { status } = await t.running.engine.request(t.refOf(live), '/', { asVisitor: true })
  if (status === 503) return
  expect(status).toBe(200)
  expect([states.backedUp, states.changed]).toContainEqual(await t.fingerprint(live))
}

async function expectAtRest(sites: readonly string[] = []): Promise<void> {
  await t.expectAtRest([live.name, ...sites])
  expect(await backupNow()).toMatchObject({ status: 'Ready', locked_by_job: null })
}

/** All moments in the long run, a few in others. */
const isLong = process.env['EASYDASH_TEST_LONG'] === '1'
const restoring = ['fetch', 'send', 'swap', 'clean_up', 'measure', 'check_page', 'open']
const undoing = ['prepare', 'swap', 'check_page', 'open']
const making = [
  ...['fetch', 'take', 'reserve', 'create_site', 'send', 'swap', 'settle', 'answer', 'check_page'],
  ...['compare', 'clean_up'],
]
/** A crash point: its moment and its step. */
const at = (type: string, moment: string): string => crashPointName(type, ...(moment.split(' ') as [string, string]))

test.each(
  isLong
    ? [
        [
          'before each effect',
          beforeEffects('site.restore_backup', restoring),
          beforeEffects('site.undo_restore', undoing),
        ],
        [
          'after each effect',
          afterEffects('site.restore_backup', restoring),
          afterEffects('site.undo_restore', undoing),
        ],
      ]
    : [
        [
          'now and then',
          ['after-intent swap', 'after-run swap', 'after-run open'].map((one) => at('site.restore_backup', one)),
          [at('site.undo_restore', 'after-run swap')],
        ],
      ],
)(
  'a restore that is killed %s, and its way back, end; visitors see one state or the other',
  async (_when, points, wayBack) => {
    await change()
    expectDone(await t.work((await restore({ what: 'all' })).job, points, expectOneState))
    await expectAtRest()
    expect(await t.fingerprint(live)).toEqual(states.backedUp)
    const undo = await t.act({ doctype: 'Site Backup', name: backup }, 'undo_restore')
    expectDone(await t.work(undo.job, wayBack, expectOneState))
    await expectAtRest()
    expect(await t.fingerprint(live)).toEqual(states.changed)
  },
  timeout,
)

/** Of a job that is canceled after it was killed. */
const cancelPoints = isLong ? cancelCrashPoints : ['cancel-undone']

test.each(
  isLong ? ['after-intent send', 'after-run send', 'after-run swap', 'after-run check_page'] : ['after-run swap'],
)(
  'a restore that is killed %s and then canceled leaves the site as it was, and goes through later',
  async (moment) => {
    await change()
    const type = 'site.restore_backup'
    const { job } = await restore({ what: 'all' })
    await killAndCancel(t, { job, point: at(type, moment), cancelPoints }, expectOneState)
    await expectAtRest()
    expect(await t.fingerprint(live)).toEqual(states.changed)
    expectDone(await t.work((await restore({ what: 'all' })).job))
    expect(await t.fingerprint(live)).toEqual(states.backedUp)
  },
  timeout,
)

test.each(isLong ? ['after-run prepare', 'after-run swap'] : [])(
  'a way back that is killed %s and then canceled leaves the restored site, and can be gone later',
  async (moment) => {
    await change()
    expectDone(await t.work((await restore({ what: 'all' })).job))
    const undo = () => t.act({ doctype: 'Site Backup', name: backup }, 'undo_restore')
    const type = 'site.undo_restore'
    await killAndCancel(t, { job: (await undo()).job, point: at(type, moment), cancelPoints }, expectOneState)
    await expectAtRest()
    expect(await t.fingerprint(live)).toEqual(states.backedUp)
    expectDone(await t.work((await undo()).job))
    expect(await t.fingerprint(live)).toEqual(states.changed)
  },
  timeout,
)

const unpacks = '^tar .*/next/htdocs'
const loads = '^docker exec .* wp db import'
const moves = '^mv .*/prev/htdocs'

test.each([
  ['unpacks the backup', 'Done', unpacks],
  ['loads the database', 'Cancelled', loads],
  ...(isLong
    ? ([
        ['unpacks the backup', 'Cancelled', unpacks],
        ['loads the database', 'Done', loads],
        ['puts the files in place', 'Done', moves],
        ['puts the files in place', 'Cancelled', moves],
        ['keeps the state before', 'Done', '^mv .*/prev .*/before$'],
      ] as const)
    : []),
] as const)(
  'a restore that is killed while the server %s ends (%s), and the site is whole',
  async (_what, end, call) => {
    await change()
    const { job } = await restore({ what: 'all' })
    await killAtWork(t, moments, job, call)
    if (end === 'Done') await moments.clear()
    else {
      await t.cancel(job)
      // The server is stopped in the middle of it, and takes it back: then that is interrupted, too.
      await killAtWork(t, moments, job, '^rm -f .*/state$')
      await moments.clear()
    }
    expect(await t.work(job)).toMatchObject({ status: end, error_message: null })
    await expectAtRest()
    expect(await t.fingerprint(live)).toEqual(end === 'Done' ? states.backedUp : states.changed)
  },
  timeout,
)

test.each([['puts the files in place', moves], ...(isLong ? [['unpacks the backup', unpacks]] : [])])(
  'a restore whose server is rebooted while it %s goes on by itself',
  async (_what, call) => {
    await change()
    await moments.plan({ what: 'reboot', when: 'after', call: call ?? '' })
    const ended = await t.work((await restore({ what: 'all' })).job)
    expect(await moments.hasCome()).toBe(true)
    await moments.clear()
    expectDone(ended)
    await expectAtRest()
    expect(await t.fingerprint(live)).toEqual(states.backedUp)
  },
  timeout,
)

async function siteAt(domain: string): Promise<Site | undefined> {
  const { documents } = t.running
  const [site] = await documents.transaction(systemSession(), (tx) => tx.list(SiteDoctype, [['domain', '=', domain]]))
  return site
}

test.each(
  isLong
    ? [
        ['before each effect', beforeEffects('site.import', making)],
        ['after each effect', afterEffects('site.import', making)],
      ]
    : [['now and then', ['after-run create_site', 'after-run settle'].map((one) => at('site.import', one))]],
)(
  'a new site whose restore is killed %s has the content of the backup',
  async (_when, points) => {
    const domain = 'made.example.com'
    const before = await t.fingerprint(live)
    expectDone(await t.work((await restore({ target: 'new_site', domain })).job, points))
    const site = (await siteAt(domain)) as Site
    expect(site).toMatchObject({ status: 'Live', import_defects: 0 })
    await expectAtRest([site.name])
    expect(await t.read(site, 'wp-content/uploads/own.txt')).toBe('of the site')
    expect((await t.readDatabase(site)).options).toMatchObject({ blogname: 'Live', home: `http://${domain}` })
    for (const action of ['archive', 'delete_permanently'])
      expectDone(await t.work((await t.act(site, action, { confirm_name: domain })).job))
    await expectAtRest()
    expect(await t.fingerprint(live)).toEqual(before)
  },
  timeout,
)

test.each(
  isLong
    ? ['after-intent fetch', 'after-run take', 'after-run create_site', 'after-run swap', 'after-run check_page']
    : ['after-run create_site'],
)(
  'a new site whose restore is killed %s and then canceled is gone, with its address',
  async (moment) => {
    const type = 'site.import'
    const domain = 'gone.example.com'
    const { job } = await restore({ target: 'new_site', domain })
    await killAndCancel(t, { job, point: at(type, moment), cancelPoints })
    expect(await siteAt(domain)).toBeUndefined()
    await expectAtRest()
  },
  timeout,
)

test('no process had the server do what it does not know', async () => {
  expect(await t.server.violations()).toEqual([])
})
