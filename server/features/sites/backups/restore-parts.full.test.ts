import { createHash } from 'node:crypto'
import { readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { ManifestFile, ManifestSummary } from '#server/engines/site-manifest.ts'
import { packTar } from '#server/platform/files/tar.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { systemSession } from '#server/jobs/session.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { reconcile } from '../reconcile.ts'
import { backupIdentity, encrypted } from './archive-cipher.ts'
import { backupSweep } from './backup-sweep.ts'
import { writeContents } from './contents.ts'

let t: TestSites
let site: Site
let backup: string

beforeAll(async () => {
  t = await openTestSites()
  site = await t.live('parts')
  await t.act(site.name, 'create_folder', { path: 'data' })
  for (const name of ['one', 'two']) await t.act(site.name, 'write_file', { path: `data/${name}.txt`, content: name })
  const { name, job } = (await t.act(site.name, 'backup')) as { name: string; job: string }
  await t.end({ job })
  await t.end({ job: await proofOf(name) })
  backup = name
})
afterAll(() => t?.close())

const proofOf = async (of: string): Promise<string> => {
  const [proof] = await t.deps
    .documents()
    .transaction(systemSession('job'), (tx) => tx.list(JobDoctype, [['reference_name', '=', of]]))
  return proof?.name ?? ''
}

const act = (action: string, args: Record<string, unknown> = {}) =>
  t.deps.documents().runAction(t.owner, 'Site Backup', backup, action, args)
interface Contents {
  readonly entries: readonly { readonly name: string; readonly is_folder: boolean; readonly files: number }[]
  readonly tables: readonly unknown[]
}
const contents = (folder?: string) =>
  act('contents', folder === undefined ? {} : { folder }) as unknown as Promise<Contents>
const folder = () => join(t.deps.backupsFolder, 'contents')

test('says what is in a backup, and keeps that encrypted as long as the backup', async () => {
  const { entries } = await contents()
  expect(entries[0]).toEqual({ name: 'data', is_folder: true, files: 2, size: 6 })
  const below = await contents('data')
  expect(below.entries.map(({ name }) => name)).toEqual(['one.txt', 'two.txt'])
  expect(below.tables).toEqual([])
  expect((await contents('no/such/folder')).entries).toEqual([])
  expect(await rejectionOf(contents('../other'))).toMatchObject({ code: 'invalid', field: 'folder' })
  const file = await readFile(join(folder(), `${backup}.zst.age`))
  expect(file.subarray(0, 21).toString()).toBe('age-encryption.org/v1')
  // What a killed process leaves.
  const folders = [folder(), join(t.deps.backupsFolder, 'pieces')]
  for (const one of folders) await writeFile(join(one, `${backup}.zst.age.new`), 'half of it')
  t.pass(2 * 3_600_000)
  await backupSweep(t.deps).run()
  for (const one of folders) expect(await readdir(one)).toEqual([`${backup}.zst.age`])
})

test('restores parts, and says which are none before anything happens', async () => {
  const { entries } = await contents()
  const path = entries[0]?.name ?? ''
  const { job } = (await act('restore', { parts: [path, `${path}/inner`, path] })) as { job: string }
  expect(await t.end({ job })).toMatchObject({ status: 'Done', args: { what: { paths: [path], tables: [] } } })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', restored_from: backup })
  const one = (await act('restore', { what: 'not-there' })) as { job: string }
  expect(await t.end(one)).toMatchObject({
    status: 'Failed',
    error_message: expect.stringContaining('not-there') as string,
  })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live' })
  for (const parts of [
    [],
    ['../etc'],
    ['/etc/passwd'],
    [''],
    ['wp-config.php'],
    ['WP-content/database/x'],
    ['table:a b'],
    Array.from({ length: 201 }, (_, n) => `f${n}`),
  ])
    expect(await rejectionOf(act('restore', { parts }))).toMatchObject({ code: 'invalid', field: 'parts' })
  expect(await rejectionOf(act('restore', { what: 'a//b' }))).toMatchObject({ code: 'invalid', field: 'what' })
  expect(await rejectionOf(act('restore', { parts: [path], target: 'new_site', domain: 'another' }))).toMatchObject({
    code: 'invalid',
  })
})

test('what a restore makes of the backup is not taken for a left-over', async () => {
  const { restores } = t.engine
  const steps = restores.restoreSteps.bind(restores)
  const spy = vi.spyOn(restores, 'restoreSteps').mockImplementation((...of) => {
    const [first, ...others] = steps(...of)
    if (!first) throw new Error('A restore has steps.')
    const run: typeof first.run = async (own) => {
      await reconcile(t.deps, t.host)
      return first.run(own)
    }
    return [{ ...first, run }, ...others]
  })
  expect(await t.end((await act('restore', { what: 'files' })) as { job: string })).toMatchObject({ status: 'Done' })
  expect(spy).toHaveBeenCalled()
  spy.mockRestore()
})

test('the state before a restore is kept for seven days, counted, and then removed by the sweep', async () => {
  const { job } = (await act('restore', { what: 'files' })) as { job: string }
  await t.end({ job })
  const restored = await t.siteNow(site.name)
  expect(restored).toMatchObject({ restored_from: backup, restored_kept_size: expect.any(Number) as number })
  expect(restored?.restored_kept_size).toBeGreaterThan(0)
  t.pass(7 * 86_400_000 - 3_600_000)
  await backupSweep(t.deps).run()
  expect(await t.siteNow(site.name)).toMatchObject({ restored_from: backup, restored_at: restored?.restored_at })
  t.pass(2 * 3_600_000)
  // What cannot be removed now is tried again.
  const failing = vi.spyOn(t.engine.restores, 'forgetKept').mockRejectedValueOnce(new Error('away'))
  await backupSweep(t.deps).run()
  expect(await t.siteNow(site.name)).toMatchObject({ restored_from: backup })
  await backupSweep(t.deps).run()
  expect(failing).toHaveBeenCalledTimes(2)
  failing.mockRestore()
  expect(await t.siteNow(site.name)).toMatchObject({ restored_from: null, restored_at: null, restored_kept_size: null })
  expect(await rejectionOf(act('undo_restore'))).toMatchObject({ code: 'conflict' })
})

test('the sweep keeps the state of a restore that was made while it was at another site', async () => {
  const second = await t.live('parts-too')
  const backups = new Map([[site.name, backup]])
  const made = (await t.act(second.name, 'backup')) as { name: string; job: string }
  await t.end(made)
  await t.end({ job: await proofOf(made.name) })
  backups.set(second.name, made.name)
  const restore = async (name: string) =>
    t.end(
      (await t.deps
        .documents()
        .runAction(t.owner, 'Site Backup', backups.get(name) ?? '', 'restore', { what: 'files' })) as { job: string },
    )
  for (const name of backups.keys()) expect(await restore(name)).toMatchObject({ status: 'Done' })
  t.pass(7 * 86_400_000 + 3_600_000)
  let other = ''
  const forget = t.engine.restores.forgetKept
  const spy = vi.spyOn(t.engine.restores, 'forgetKept').mockImplementation(async (ref, before) => {
    if (other === '') {
      other = ref.id === site.name ? second.name : site.name
      await restore(other)
    }
    return forget(ref, before)
  })
  await backupSweep(t.deps).run()
  expect(spy).toHaveBeenCalledTimes(1)
  spy.mockRestore()
  expect(await t.siteNow(other)).toMatchObject({ restored_from: backups.get(other) })
  const undone = await t.deps
    .documents()
    .runAction(t.owner, 'Site Backup', backups.get(other) ?? '', 'undo_restore', {})
  expect(await t.end(undone)).toMatchObject({ status: 'Done' })
})

test('a list that is not there says how to get it', async () => {
  await rm(folder(), { recursive: true })
  expect(await rejectionOf(contents())).toMatchObject({ code: 'not_found' })
  await t.end((await act('prove')) as { job: string })
  expect((await contents()).entries[0]).toMatchObject({ name: 'data', files: 2 })
})

test('a list that cannot be written costs no backup, and the job says so', async () => {
  await rm(folder(), { recursive: true })
  await writeFile(folder(), 'where the folder should be')
  const made = (await t.act(site.name, 'backup')) as { name: string; job: string }
  expect(await t.end(made)).toMatchObject({ status: 'Done' })
  const { rows } = await t.running.documents.transaction(systemSession(), (tx) =>
    sql<{ text: string }>`select text from easydash_job_log where job = ${made.job}`.execute(tx.trx),
  )
  expect(rows.map(({ text }) => text).join(' ')).toContain('could not be written (EEXIST)')
  expect(await t.end({ job: await proofOf(made.name) })).toMatchObject({ status: 'Done' })
  await rm(folder())
})

test('a list ends with its job', async () => {
  const files = async function* (): AsyncGenerator<ManifestFile, ManifestSummary, undefined> {
    yield { path: 'a', size: 1, sha256: '' }
    throw new Error('Nobody wants it any more.')
  }
  const job = { signal: AbortSignal.abort(), log: () => undefined }
  const identity = await t.running.documents.transaction(systemSession(), (tx) => backupIdentity(tx, 'acme'))
  const of = { backup: 'unwanted00', identity }
  await expect(writeContents(t.deps, job, of, files())).rejects.toMatchObject({ name: 'AbortError' })
  expect(await readdir(folder())).toEqual([])
})

test('an archive that does not say what is in it is damaged', async () => {
  const text = Buffer.from('{}')
  const header = { name: 'manifest.json', type: 'file' as const, size: text.length, mode: 0o644, mtime: 0 }
  const archive = zstdCompressSync(await buffer(Readable.from(packTar([{ header, content: [text] }]))))
  await t.running.documents.transaction(systemSession(), async (tx) => {
    const stored = await encrypted(await backupIdentity(tx, 'acme'), Readable.from([archive], { objectMode: false }))
    await writeFile(join(t.deps.backupsFolder, 'store', `${backup}.tar.zst.age`), stored)
    const sha256 = createHash('sha256').update(archive).digest('hex')
    await tx.update(SiteBackupDoctype, backup, { sha256 }, { hooks: false, activity: false })
  })
  await t.end((await act('prove')) as { job: string })
  expect(
    await t.running.documents.transaction(systemSession(), (tx) => tx.get(SiteBackupDoctype, backup)),
  ).toMatchObject({ proof: 'Failed', proof_detail: [{ defect: 'The archive does not say what is in it.' }] })
})
