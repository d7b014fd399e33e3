import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { NativeBackup, NativeOutcome, NativeRestores } from '#server/engines/site-backups.ts'
import { EngineError } from '#server/engines/engine.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'

/** Backups of EasyEngine's own on an engine that has it, and what it does with them. */

let t: TestSites
/** What EasyEngine does in its steps, and what it is asked for. */
const ee = {
  outcome: 'untouched' as NativeOutcome,
  isKept: true,
  restore: async (_signal: AbortSignal): Promise<void> => undefined,
  compare: async (): Promise<void> => undefined,
  asked: [] as NativeBackup[],
}
const failure = (code: 'conflict' | 'unavailable', message: LocalizedMessage) =>
  new EngineError(code, message, { nextAction: msg`Look at it.` })
const native: NativeRestores = {
  async assertKept() {
    if (!ee.isKept) throw failure('conflict', msg`EasyEngine does not have this backup any more.`)
  },
  restoreSteps: (_site, backup) => [
    {
      key: 'restore',
      label: 'Have EasyEngine restore its backup',
      destructive: true,
      async run({ signal }) {
        ee.asked.push(backup)
        await ee.restore(signal)
        ee.outcome = 'restored'
      },
    },
    { key: 'compare', label: 'Compare', run: () => ee.compare() },
  ],
  outcome: async () => ee.outcome,
}

beforeAll(async () => {
  t = await openTestSites()
  Object.assign(t.engine.restores, { native })
})
beforeEach(() => {
  Object.assign(ee, {
    ...{ outcome: 'untouched', isKept: true, asked: [] },
    ...{ restore: async () => undefined, compare: async () => undefined },
  })
})
afterAll(() => t?.close())

const id = '1764410000_2025-11-29-09-53-20'
const read = <T>(work: Parameters<ReturnType<typeof t.deps.documents>['transaction']>[1]) =>
  t.deps.documents().transaction(systemSession('job'), work) as Promise<T>
const update = (name: string, values: Partial<Site>) =>
  read((tx) => tx.update(SiteDoctype, name, values, { hooks: false }))
/** A site, and a backup of it that EasyEngine reported. */
async function imported(domain: string, more: Partial<SiteBackup> = {}): Promise<{ site: Site; backup: string }> {
  const site = await t.live(domain)
  const { name } = await read<SiteBackup>((tx) =>
    tx.insert(SiteBackupDoctype.name, {
      ...{ organization: 'acme', site: site.name, site_domain: site.domain, site_type: 'wp', server: site.server },
      ...{ kind: 'imported', store: 'easyengine', status: 'Ready', reported_as: `${site.name}-1` },
      ...{ remote_path: `bucket/${site.domain}/${id}`, wordpress_version: '6.8.2', counts: { posts: 3 }, ...more },
    }),
  )
  return { site, backup: name }
}
const restore = (backup: string, args: Record<string, unknown> = {}, session = t.owner) =>
  t.deps.documents().runAction(session, 'Site Backup', backup, 'restore', args) as Promise<{ job: string }>
const retry = (job: string) => t.deps.documents().runAction(t.owner, 'Job', job, 'retry', {})
const backupNow = (name: string) => read<SiteBackup>((tx) => tx.get(SiteBackupDoctype, name))
/** Those of ours of a site, oldest first. */
const ours = ({ name }: Site) =>
  read<SiteBackup[]>((tx) =>
    tx.list(
      SiteBackupDoctype,
      [
        ['site', '=', name],
        ['kind', '!=', 'imported'],
      ],
      { order_by: 'creation asc' },
    ),
  )
const breaks = async () => {
  ee.outcome = 'changed'
  throw failure('unavailable', msg`EasyEngine did not make the change.`)
}

test('a restore by EasyEngine begins with a backup, whatever the schedule says, and ends with the page', async () => {
  const { site, backup } = await imported('whole')
  await update(site.name, { restored_from: backup, restored_at: '2025-11-01 00:00:00.000000' })
  let during: (string | null | undefined)[] = []
  ee.restore = async () => {
    during = [(await t.siteNow(site.name))?.status, (await backupNow(backup)).status]
  }
  const job = await t.end(await restore(backup))
  expect(job).toMatchObject({ status: 'Done', job_type: 'site.restore_imported' })
  const keys = job.steps?.map(({ key }) => key) ?? []
  expect([keys[0], ...keys.slice(-6)]).toEqual([
    'look',
    ...['backup_keep', 'begin', 'restore', 'compare', 'check_page', 'forget'],
  ])
  expect(during).toEqual(['Restoring', 'Restoring'])
  expect(ee.asked).toEqual([{ id, wordpressVersion: '6.8.2', counts: { posts: 3 } }])
  expect(await ours(site)).toMatchObject([{ kind: 'before a change', status: 'Ready' }])
  expect(await backupNow(backup)).toMatchObject({ status: 'Ready', locked_by_job: null })
  // What an earlier restore kept is older than both.
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', health: 'Up', restored_from: null })
})

test('what EasyEngine can’t do is refused with the reason', async () => {
  const { site, backup } = await imported('refused')
  const refusal = async (args: Record<string, unknown> = {}) => rejectionOf(restore(backup, args))
  expect(await refusal({ target: 'new_site', domain: 'new' })).toMatchObject({ code: 'unsupported', field: 'target' })
  for (const args of [{ what: 'files' }, { parts: ['wp-content'] }])
    expect(await refusal(args)).toMatchObject({ code: 'unsupported', field: 'what' })
  await update(site.name, { status: 'Archived' })
  expect(await refusal()).toMatchObject({ code: 'conflict', message: expect.stringContaining('live or failed') })
  await update(site.name, { status: 'Live', domain: 'moved' })
  expect(await refusal()).toMatchObject({ code: 'conflict', message: expect.stringContaining('no longer called') })
  await update(site.name, { domain: 'refused' })
  for (const [values, words] of [
    [{ server: t.otherServer.name }, 'another server'],
    [{ server: site.server, remote_path: 'bucket/refused/../../x' }, 'did not say'],
    [{ remote_path: `bucket/refused/${id}`, site: 'gone' }, 'no longer exists'],
  ] as const) {
    await read((tx) => tx.update(SiteBackupDoctype, backup, values, { hooks: false }))
    expect(await refusal()).toMatchObject({ code: 'conflict', message: expect.stringContaining(words) })
  }
  expect(await rejectionOf(restore(backup, {}, t.other))).toMatchObject({ code: 'not_found' })
  expect(await ours(site)).toEqual([])
})

test('a backup that EasyEngine no longer has, and one that it refuses, leave the site as it is', async () => {
  const { site, backup } = await imported('untouched')
  ee.isKept = false
  const unchanged = { status: 'Failed', next_action: expect.stringContaining('The site was not changed.') }
  expect(await t.end(await restore(backup))).toMatchObject({ ...unchanged, error_code: 'conflict' })
  expect(await ours(site)).toEqual([])
  ee.isKept = true
  ee.restore = () => Promise.reject(failure('unavailable', msg`Another backup is being made.`))
  const { job } = await restore(backup)
  expect(await t.end({ job })).toMatchObject(unchanged)
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', failure_reason: null, locked_by_job: null })
  expect(await backupNow(backup)).toMatchObject({ status: 'Ready' })
  // What came to the site since then is in another backup.
  ee.restore = async () => undefined
  await retry(job)
  expect(await t.end({ job })).toMatchObject({ status: 'Done' })
  expect(await ours(site)).toHaveLength(2)
})

test('one that breaks off says what the site is like and what is the way back, and goes on when it is tried again', async () => {
  const { site, backup } = await imported('mixture')
  ee.restore = breaks
  const { job } = await restore(backup)
  const wayBack = expect.stringContaining('restore the backup that this job began with')
  expect(await t.end({ job })).toMatchObject({ status: 'Failed', next_action: wayBack })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Failed', failure_reason: wayBack })
  const [first] = await ours(site)
  expect(first).toMatchObject({ status: 'Ready' })
  ee.restore = async () => undefined
  await retry(job)
  expect(await t.end({ job })).toMatchObject({ status: 'Done' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', failure_reason: null })
  expect((await ours(site)).map(({ name }) => name)).toEqual([first?.name])
})

test('a success that EasyEngine only claims is none, until somebody has looked', async () => {
  const { site, backup } = await imported('claimed')
  ee.compare = () => Promise.reject(failure('conflict', msg`The site has less.`))
  const { job } = await restore(backup)
  expect(await t.end({ job })).toMatchObject({ status: 'Failed', error_code: 'conflict' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Failed' })
  await t.deps.documents().runAction(t.owner, 'Job', job, 'continue_anyway', { step: 'compare' })
  expect(await t.end({ job })).toMatchObject({ status: 'Done' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live' })
})

test.each([
  ['before EasyEngine has begun', 'untouched', 'Live'],
  ['while EasyEngine works, which then ends well', 'restored', 'Live'],
  ['while EasyEngine works, which then ends halfway', 'changed', 'Failed'],
] as const)('a job that is canceled %s ends in what is so', async (_when, outcome, status) => {
  const { site, backup } = await imported(`canceled-${outcome}`)
  const begun = Promise.withResolvers<void>()
  ee.restore = async (signal) => {
    ee.outcome = outcome
    begun.resolve()
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  }
  const { job } = await restore(backup)
  await begun.promise
  await t.deps.documents().runAction(t.owner, 'Job', job, 'cancel', {})
  expect(await t.end({ job })).toMatchObject({ status: 'Cancelled' })
  expect(await t.siteNow(site.name)).toMatchObject({ status, locked_by_job: null })
  expect(await backupNow(backup)).toMatchObject({ status: 'Ready' })
  expect(await ours(site)).toMatchObject([{ status: 'Ready' }])
})
