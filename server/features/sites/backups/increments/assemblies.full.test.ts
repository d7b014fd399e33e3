import { randomBytes } from 'node:crypto'
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JobContext } from '#server/contracts/job.ts'
import { systemClock, type Clock } from '#server/jobs/clock.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { fetchArchive, removeWork } from '../backup-parts.ts'
import { backupSweep } from '../backup-sweep.ts'
import { createAssemblies, type Assemblies } from './assemblies.ts'
import { backupsOf } from '#tests/support/backups.ts'

let t: TestSites
let assemblies: Assemblies
/** Runs what a timer waits for. */
let letTimePass: () => void
beforeAll(async () => {
  t = await openTestSites()
  const clock: Clock = { ...systemClock, setTimeout: (run) => void (letTimePass = run) }
  assemblies = createAssemblies({ ...t.deps, clock })
})
afterAll(() => t?.close())

const { transaction, work, storedAt, put, largeSite, backedUp } = backupsOf(() => t)
const downloads = () => readdir(join(t.deps.backupsFolder, 'downloads'))

test('of an assembly that was killed nothing stays in clear', async () => {
  const site = await largeSite('killed')
  await backedUp(site)
  await put(site, 'wp-content/uploads/new.bin', randomBytes(50_000))
  const backup = await backedUp(site)
  const kill = async () => {
    const killed = Promise.withResolvers<void>()
    const until: typeof transaction = async (of) => {
      const there = await readdir(work(), { recursive: true })
      if (!there.some((name) => name.endsWith('.tar'))) return transaction(of)
      killed.resolve()
      return new Promise(() => undefined)
    }
    const job = { transaction: until as JobContext['transaction'], signal: new AbortController().signal }
    void fetchArchive(t.deps, backup, job)
    await killed.promise
  }
  await kill()
  await removeWork(t.deps, backup.name)
  expect(await readdir(work())).toEqual([])
  await kill()
  t.pass(2 * 86_400_000)
  await backupSweep(t.deps).run()
  expect(await readdir(work())).toEqual([])
})

test('an archive is put together once for all who download it, where there is room, and goes when nobody wants it', async () => {
  const site = await largeSite('downloaded')
  const full = await backedUp(site)
  await put(site, 'wp-content/uploads/new.bin', randomBytes(50_000))
  const backup = await backedUp(site)
  const bytesOf = async (from = assemblies) => {
    const file = await from.open(backup)
    return buffer(file.createReadStream())
  }
  const setSize = (size: number) =>
    transaction((tx) => tx.updateColumns(SiteBackupDoctype, full.name, { stored_size: size }))
  await setSize(1e15)
  await expect(bytesOf()).rejects.toMatchObject({ code: 'unavailable' })
  await setSize(full.stored_size ?? 0)

  const [one, other] = await Promise.all([bytesOf(), bytesOf()])
  const stored = await readFile(storedAt(full))
  await rm(storedAt(full))
  expect([one, await bytesOf()]).toEqual([other, other])
  expect(await downloads()).toHaveLength(1)
  letTimePass()
  await expect.poll(downloads).toEqual([])
  await expect(bytesOf()).rejects.toMatchObject({ code: 'invalid' })
  await writeFile(storedAt(full), stored)

  // What a process that was killed left goes with the next start, and what one puts together with its end.
  await mkdir(join(t.deps.backupsFolder, 'downloads', 'left'))
  await assemblies.clear()
  const stopped = createAssemblies(t.deps)
  const unfinished = rejectionOf(bytesOf(stopped))
  await stopped.stop()
  expect(await unfinished).toMatchObject({ code: 'unavailable' })
  expect(await readdir(t.deps.backupsFolder)).not.toContain('downloads')
})
