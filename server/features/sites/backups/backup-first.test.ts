import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemSession } from '#server/jobs/session.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'

let t: TestSites

beforeAll(async () => {
  t = await openTestSites()
})
afterAll(async () => {
  await t?.close()
})

/** A site that is backed up by itself. */
async function scheduled(domain: string, values: Record<string, unknown> = {}): Promise<Site> {
  const site = await t.live(domain)
  await t.deps.documents().insert(t.owner, 'Backup Schedule', { organization: 'acme', site: site.name, ...values })
  return site
}

const backupsOf = ({ name }: Site) =>
  t.deps.documents().transaction(systemSession('job'), (tx) => tx.list(SiteBackupDoctype, [['site', '=', name]]))

const change = async ({ name }: Site, domain: string) =>
  (await t.act(name, 'change_domain', { domain, old_domain: 'redirect' })) as { job: string }

test('a change that can break a site begins with a backup, if its schedule says so', async () => {
  const site = await scheduled('first')
  expect(await t.end(await change(site, 'second'))).toMatchObject({ status: 'Done', error_message: null })
  expect(await backupsOf(site)).toMatchObject([{ kind: 'before a change', status: 'Ready', site_domain: 'first' }])
  const without = await scheduled('third', { before_changes: 0 })
  expect(await t.end(await change(without, 'fourth'))).toMatchObject({ status: 'Done' })
  expect(await backupsOf(without)).toEqual([])
})

/** A site with a backup that is proven, and what restores that. */
async function backedUp(domain: string) {
  const site = await t.live(domain)
  const { name, job } = (await t.act(site.name, 'backup')) as { name: string; job: string }
  await t.end({ job })
  const proofs = await t.deps
    .documents()
    .transaction(systemSession('job'), (tx) => tx.list(JobDoctype, [['reference_name', '=', name]]))
  for (const proof of proofs) await t.end({ job: proof.name })
  const restore = async (args: Record<string, unknown> = {}) => {
    const action = t.running.documents.runAction(t.owner, 'Site Backup', name, 'restore', { what: 'files', ...args })
    const ended = await t.end((await action) as { job: string })
    expect(ended).toMatchObject({ status: 'Done', error_message: null })
    return ended
  }
  return { site, restore }
}

test('a restore in place begins with one, without a schedule, too: what it takes is in there, also after another restore', async () => {
  const { site, restore } = await backedUp('restored')
  await t.act(site.name, 'write_file', { path: 'later.txt', content: 'later' })
  await restore()
  await restore()
  await restore({ backup_first: 0 })
  const all = await backupsOf(site)
  expect(all.map(({ kind, status }) => [kind, status])).toEqual([
    ['manual', 'Ready'],
    ['before a change', 'Ready'],
    ['before a change', 'Ready'],
  ])
  expect(all.map(({ counts }) => counts?.['files'] ?? 0)).toEqual([
    expect.any(Number),
    (all[0]?.counts?.['files'] ?? 0) + 1,
    all[0]?.counts?.['files'],
  ])
})

test('a site that is too damaged to be packed is restored all the same; what was not made is not shown as made', async () => {
  const { site, restore } = await backedUp('damaged')
  const packing = vi
    .spyOn(t.engine.backups, 'packSteps')
    .mockImplementation(() => [
      { key: 'pack', label: 'Pack the site', weight: 1, run: () => Promise.reject(new Error('No table')) },
    ])
  const { steps } = await restore()
  packing.mockRestore()
  expect(steps?.filter(({ key }) => key.startsWith('backup')).map(({ key, status }) => [key, status])).toEqual([
    ['backup', 'Done'],
    ['backup_begin', 'Done'],
    ...['backup_pack', 'backup_store', 'backup_remove', 'backup_keep'].map((key) => [key, 'Skipped']),
  ])
  expect(await backupsOf(site)).toMatchObject([{ status: 'Ready' }, { kind: 'before a change', status: 'Failed' }])
  expect(await t.siteNow(site.name)).toMatchObject({
    ...{ status: 'Live', locked_by_job: null, restored_from: expect.any(String) },
  })
  // The way back leads to the damaged site, which is said to be down.
  const request = vi.spyOn(t.engine, 'request').mockRejectedValue(new Error('No answer'))
  const [backup] = await backupsOf(site)
  const undo = t.running.documents.runAction(t.owner, 'Site Backup', backup?.name ?? '', 'undo_restore', {})
  const undone = await t.end((await undo) as { job: string })
  request.mockRestore()
  expect(undone).toMatchObject({ status: 'Done', error_message: null })
  expect(undone.steps?.find(({ key }) => key === 'check_page')?.status).toBe('Skipped')
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', health: 'Down', restored_from: null })
  expect((await t.siteNow(site.name))?.failure_reason).not.toBeNull()
})

test('without its backup a change is not made; a retry makes another one', async () => {
  const site = await scheduled('unpacked')
  const packing = vi
    .spyOn(t.engine.backups, 'packSteps')
    .mockImplementation(() => [
      { key: 'pack', label: 'Pack the site', weight: 1, run: () => Promise.reject(new Error('No room')) },
    ])
  const failed = await change(site, 'packed')
  expect(await t.end(failed)).toMatchObject({ status: 'Failed' })
  packing.mockRestore()
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', domain: 'unpacked', locked_by_job: null })
  expect(await backupsOf(site)).toMatchObject([{ status: 'Failed' }])
  await t.running.documents.runAction(t.owner, 'Job', failed.job, 'retry', {})
  expect(await t.end(failed)).toMatchObject({ status: 'Done' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', domain: 'packed' })
  expect((await backupsOf(site)).map(({ status }) => status)).toEqual(['Failed', 'Ready'])
})

test('a change that is canceled during its backup is not made, and leaves no backup', async () => {
  const site = await scheduled('canceled')
  const [{ packed }, begun, held] = [t.engine.backups, Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  vi.spyOn(t.engine.backups, 'packed').mockImplementationOnce(async (of) => {
    begun.resolve()
    await held.promise
    return packed(of)
  })
  const { job } = await change(site, 'elsewhere')
  await begun.promise
  await t.running.documents.runAction(t.owner, 'Job', job, 'cancel', {})
  held.resolve()
  expect(await t.end({ job })).toMatchObject({ status: 'Cancelled' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', domain: 'canceled', locked_by_job: null })
  expect(await backupsOf(site)).toEqual([])
})
