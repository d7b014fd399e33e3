import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Download } from '#server/contracts/files.ts'
import type { MethodContext } from '#server/contracts/method.ts'
import { listNames } from '#server/platform/files/list-folder.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { backupsOf } from '#tests/support/backups.ts'
import { fullDisk, type FullDisk } from '#tests/support/full-disk.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { downloadBackupMethod } from './download-backup.ts'
import { createAssemblies } from './increments/assemblies.ts'

/*
 * The disk of the backups becomes full at each write of each job: what could not be made is said to be so, nothing is half there, no
 * site is changed, and no proof says anything about the backup.
 */

let t: TestSites
let disk: FullDisk
let site: Site
let full: SiteBackup
let increment: SiteBackup

const { transaction, read, act, put, wwwOf, largeSite, backedUp } = backupsOf(() => t)
const inFolder = (name: string) => listNames(join(t.deps.backupsFolder, name))

beforeAll(async () => {
  t = await openTestSites()
  site = await largeSite('full')
  full = await backedUp(site)
  await put(site, 'wp-content/uploads/new.bin', randomBytes(50_000))
  increment = await backedUp(site)
  expect([full.proof, increment.proof, increment.needs]).toEqual(['Proven', 'Proven', [full.name]])
  disk = await fullDisk(t.deps.backupsFolder)
})
afterAll(async () => {
  disk?.restore()
  await t?.close()
})

const backups = () => transaction<SiteBackup[]>((tx) => tx.list(SiteBackupDoctype, [['site', '=', site.name]]))

async function filesOf(of: Site): Promise<string[]> {
  const entries = await readdir(wwwOf(of, '.'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return Promise.all(files.toSorted().map(async (path) => `${path} ${(await readFile(path)).toString('base64')}`))
}

/** Every archive is that of a backup that is ready, and nothing is in clear. */
async function expectTidy(before: readonly string[]): Promise<void> {
  expect(await inFolder('work')).toEqual([])
  expect(await inFolder('downloads')).toEqual([])
  const ready = (await backups()).filter(({ status }) => status === 'Ready').map(({ name }) => name)
  expect((await inFolder('store')).toSorted()).toEqual(ready.map((name) => `${name}.tar.zst.age`).toSorted())
  for (const list of ['pieces', 'contents'])
    for (const name of await inFolder(list)) expect(ready.map((one) => `${one}.zst.age`)).toContain(name)
  expect(await filesOf(site)).toEqual(before)
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', locked_by_job: null })
}

/** Runs a job once for each of its writes, from which on the disk is full; then with room. */
async function atEachWrite(begin: () => Promise<{ job: string }>, after: (job: Job) => Promise<void>): Promise<Job> {
  const before = await filesOf(site)
  let failed = 0
  for (let write = 1; ; write += 1) {
    disk.fillAt(write)
    const job = await t.end(await begin())
    const isOver = disk.writes < write
    disk.fillAt(Number.POSITIVE_INFINITY)
    if (job.status === 'Failed') {
      failed += 1
      expect([write, job.error_message]).toEqual([write, expect.stringContaining('has no room')])
    } else expect([write, job.status]).toEqual([write, 'Done'])
    if (isOver) {
      expect(failed).toBeGreaterThan(2)
      return job
    }
    await after(job)
    await expectTidy(before)
  }
}

/** Waits for the proofs that backups began. */
async function proofsEnded(): Promise<void> {
  for (const { name } of await backups())
    for (const { name: job } of await transaction<Job[]>((tx) => tx.list(JobDoctype, [['reference_name', '=', name]])))
      await t.end({ job })
}

test.each(['full', 'of what changed'])('a backup that is %s', async (kind) => {
  const begin = async () => {
    t.pass(86_400_000)
    if (kind === 'full') t.pass(40 * 86_400_000)
    await put(site, `wp-content/uploads/changing.bin`, randomBytes(30_000))
    return (await t.act(site.name, 'backup')) as { job: string }
  }
  await begin().then((made) => t.end(made))
  await proofsEnded()
  let before = await filesOf(site)
  for (let write = 1, isOver = false; !isOver; write += 1) {
    disk.fillAt(write)
    const { name, job } = (await begin()) as { name: string; job: string }
    before = await filesOf(site)
    const { status, error_message: message } = await t.end({ job })
    isOver = disk.writes < write
    disk.fillAt(Number.POSITIVE_INFINITY)
    await proofsEnded()
    const made = await read(name)
    // A list that can't be written costs the next backup, not this one.
    if (status === 'Done') {
      expect(made.status).toBe('Ready')
      await t.end(await act(name, 'prove'))
      expect(await read(name)).toMatchObject({ proof: 'Proven' })
    } else {
      expect([write, message]).toEqual([write, expect.stringContaining('has no room')])
      expect(made).toMatchObject({ status: 'Failed', chain: null, needs: null })
    }
    await expectTidy(before)
  }
  for (const { name, status } of await backups())
    if (status === 'Ready') {
      await t.end(await act(name, 'prove'))
      expect(await read(name)).toMatchObject({ proof: 'Proven' })
    }
})

describe.each([
  ['full', () => full],
  ['of what changed', () => increment],
])('of a backup that is %s', (_kind, of) => {
  test('a proof says nothing', async () => {
    const done = await atEachWrite(
      () => act(of().name, 'prove'),
      async () => {
        expect(await read(of().name)).toMatchObject({ status: 'Ready', proof: 'Proven' })
      },
    )
    expect(done.status).toBe('Done')
  })

  test('a restore changes nothing', async () => {
    const done = await atEachWrite(
      () => act(of().name, 'restore', { what: 'all', backup_first: 0 }),
      async (job) => {
        expect(job.status).toBe('Failed')
        expect(await read(of().name)).toMatchObject({ status: 'Ready' })
      },
    )
    expect(done.status).toBe('Done')
    await t.end(await act(of().name, 'undo_restore'))
  })
})

test('a download of a backup of what changed breaks nothing', async () => {
  const before = await filesOf(site)
  for (let write = 1; ; write += 1) {
    const { url } = await act(increment.name, 'download_link')
    const query = Object.fromEntries(new URL(url, 'http://localhost').searchParams)
    const assemblies = createAssemblies(t.deps)
    disk.fillAt(write)
    const download = downloadBackupMethod(t.deps, assemblies).run(query, {} as MethodContext) as Promise<Download>
    const error = await rejectionOf(download)
    const isOver = disk.writes < write
    disk.fillAt(Number.POSITIVE_INFINITY)
    if (error === null) (await download).close?.()
    else expect([write, error]).toMatchObject([write, { code: 'unavailable' }])
    await assemblies.stop()
    await expectTidy(before)
    if (!isOver) continue
    expect(error).toBeNull()
    return
  }
})
