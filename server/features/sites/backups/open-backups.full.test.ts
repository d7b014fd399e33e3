/** What becomes of backups besides restores in place: new sites, sites opened for half an hour, and verdicts of other engines. */
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { JobDoctype } from '#shared/doctypes/job.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { maxOpenBackups } from '#shared/rules/backups.ts'
import { systemSession } from '#server/jobs/session.ts'
import { backupsOf } from '#tests/support/backups.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'

let t: TestSites
let site: Site
const { read, act, storedAt, backedUp } = backupsOf(() => t)

beforeAll(async () => {
  t = await openTestSites()
  site = await t.live('kept', { title: 'Kept' })
})
afterAll(async () => {
  await t?.close()
})

test('a backup becomes a site of its own', async () => {
  const backup = await backedUp(site)
  const made = (await act(backup.name, 'restore', {
    target: 'new_site',
    domain: 'again',
    site_domain: site.domain,
  })) as { job: string; site?: string }
  expect(await t.end(made)).toMatchObject({ status: 'Done' })
  expect(await t.siteNow(made.site ?? '')).toMatchObject({ domain: 'again', status: 'Live' })
})

test('on another PHP, only damaged files are a verdict', async () => {
  const backup = await backedUp(site)
  const { lacks, phpVersions } = t.engine
  Object.assign(t.engine, { lacks: () => ({ rehearse: 'Not here.' }), phpVersions: () => ['8.1'] })
  const judge = vi.spyOn(t.engine.rehearsals, 'judge')
  try {
    for (const found of [2, 1]) {
      const defects = [{ defect: 'Something is another one', evidence: '' }]
      judge.mockResolvedValueOnce({ defects, seen: [{ what: 'files', expected: 2, found }], inconclusive: null })
      await t.end((await act(backup.name, 'prove')) as { job: string })
      expect(await read(backup.name)).toMatchObject({ proof: found === 2 ? 'Inconclusive' : 'Failed' })
    }
  } finally {
    judge.mockRestore()
    Object.assign(t.engine, { lacks, phpVersions })
  }
})

test('an engine that tries nothing out restores without a place for that', async () => {
  const [backup, { rehearsals }] = [await backedUp(site), t.engine]
  Object.assign(t.engine, { rehearsals: undefined })
  const started = act(backup.name, 'restore', {}).finally(() => Object.assign(t.engine, { rehearsals }))
  await t.end((await started) as { job: string })
})

/** The site that a job opens a backup as. */
async function openedBy(job: string): Promise<SiteRef> {
  const found = await t.deps.documents().transaction(systemSession('job'), (tx) => tx.get(JobDoctype, job))
  return (found as unknown as { args: { opened: SiteRef } }).args.opened
}

test('a backup opens as a site of its own for half an hour, once, and goes with it', async () => {
  const backup = await backedUp(site)
  const open = async () => (await act(backup.name, 'open')) as { job: string; url: string }
  const seen = async ({ url, job }: { job: string; url: string }) => {
    const site = await openedBy(job)
    expect(t.engine.siteUrl(site)).toBe(url)
    return (await t.engine.request(site, '/')).status
  }
  const first = await open()
  expect(first.url).toMatch(/^http:\/\/backup-[0-9a-f]{20}\.localhost:/)
  // While its job goes on, too.
  expect(await open()).toMatchObject({ job: first.job, url: first.url })
  expect(await t.end(first)).toMatchObject({ status: 'Done' })
  expect(await seen(first)).toBe(200)
  expect(await readdir(join(t.deps.backupsFolder, 'work'))).toEqual([])
  expect(await open()).toMatchObject({ job: first.job, url: first.url })
  // It keeps nothing from being restored.
  await t.end((await act(backup.name, 'restore', {})) as { job: string })
  expect(await seen(first)).toBe(200)

  t.pass(30 * 60_000)
  const second = await open()
  expect(second.url).not.toBe(first.url)
  await t.end(second)
  await t.deps.documents().delete(t.owner, 'Site Backup', backup.name)
  await vi.waitFor(async () => expect(await seen(second)).toBe(404))
})

test('a damaged backup does not open, and at most five of an organization are open', async () => {
  const damaged = await backedUp(site)
  await writeFile(storedAt(damaged), 'nothing')
  const job = await t.end((await act(damaged.name, 'open')) as { job: string })
  expect(job).toMatchObject({ status: 'Failed', error_message: expect.stringContaining('damaged') as string })
  expect(await read(damaged.name)).toMatchObject({ opened_until: null, opened_by_job: null, locked_by_job: null })
  expect(t.engine.traces()).not.toContain((await openedBy(job.name)).id)

  const broken = await backedUp(site)
  t.engine.answers.push({ status: 500, body: '' })
  expect(await t.end((await act(broken.name, 'open')) as { job: string })).toMatchObject({
    status: 'Failed',
    error_message: expect.stringContaining('answers with status 500') as string,
  })
  expect(await read(broken.name)).toMatchObject({ status: 'Ready', proof: 'Proven', opened_until: null })

  const backups = []
  for (let count = 0; count <= maxOpenBackups; count += 1) backups.push(await backedUp(site))
  const last = backups.pop() as SiteBackup
  for (const { name } of backups) await t.end((await act(name, 'open')) as { job: string })
  expect(await rejectionOf(act(last.name, 'open'))).toMatchObject({ code: 'limit_reached' })
  t.pass(30 * 60_000)
  expect(await t.end((await act(last.name, 'open')) as { job: string })).toMatchObject({ status: 'Done' })
})

test('a backup whose site is gone opens and is tried out, too', async () => {
  const gone = await t.live('gone', { title: 'Gone' })
  const backup = await backedUp(gone)
  for (const action of ['archive', 'delete_permanently'])
    await t.end(await t.act(gone.name, action, { confirm_name: (await t.siteNow(gone.name))?.domain }))
  expect(await t.siteNow(gone.name)).toBeNull()
  const opened = (await act(backup.name, 'open')) as { job: string }
  expect(await t.end(opened)).toMatchObject({ status: 'Done' })
  expect((await t.engine.request(await openedBy(opened.job), '/')).status).toBe(200)
  await t.engine.destroy(await openedBy(opened.job))
  expect(await t.end((await act(backup.name, 'prove')) as { job: string })).toMatchObject({ status: 'Done' })
  expect(await read(backup.name)).toMatchObject({ proof: 'Proven', proof_detail: [] })
})
