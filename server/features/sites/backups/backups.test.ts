import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Download } from '#server/contracts/files.ts'
import { Decrypter } from 'age-encryption'
import type { MethodContext } from '#server/contracts/method.ts'
import { verifyProof } from '#server/cli/backups/verify-proof.ts'
import { publicKeyLine } from '#server/platform/ssh/client-key.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { backupSchedules } from './backup-schedules.ts'
import { previewRetentionMethod } from './preview-retention.ts'
import { backupSweep } from './backup-sweep.ts'
import { proofDocumentMethod, signedProof, statementIn } from './proof-document.ts'
import { downloadBackupMethod } from './download-backup.ts'
import { createAssemblies } from './increments/assemblies.ts'

interface Comparison {
  readonly now: { readonly files: number }
}

let t: TestSites
let site: Site

beforeAll(async () => {
  t = await openTestSites()
  site = await t.live('kept', { title: 'Kept' })
})
afterAll(async () => {
  await t?.close()
})

const read = (name: string) =>
  t.deps.documents().transaction(systemSession('job'), (tx) => tx.get(SiteBackupDoctype, name)) as Promise<SiteBackup>
const act = (backup: string, action: string, args: Record<string, unknown> = {}, session = t.owner) =>
  t.deps.documents().runAction(session, 'Site Backup', backup, action, args)
const storedAt = (backup: string) => join(t.deps.backupsFolder, 'store', `${backup}.tar.zst.age`)

/** Backs the site up and waits until it was proven. */
async function backedUp(args: Record<string, unknown> = {}): Promise<SiteBackup> {
  const { name, job } = (await t.act(site.name, 'backup', args)) as { name: string; job: string }
  expect((await t.end({ job })).status).toBe('Done')
  await t.end({ job: await jobOf(name) })
  return read(name)
}

const jobsOf = (reference: string): Promise<Job[]> =>
  t.deps
    .documents()
    .transaction(systemSession('job'), (tx) => tx.list(JobDoctype, [['reference_name', '=', reference]]))

const jobOf = async (backup: string): Promise<string> => (await jobsOf(backup)).at(-1)?.name ?? ''

test('a backup is stored encrypted, proven, and downloaded in clear by a link that ends', async () => {
  const backup = await backedUp({ note: 'Before the launch' })
  expect(backup).toMatchObject({
    status: 'Ready',
    proof: 'Proven',
    note: 'Before the launch',
    kind: 'manual',
    store: 'local',
  })
  expect(await t.siteNow(site.name)).toMatchObject({ backup_at: backup.taken_at, backup_proof: 'Proven' })
  expect((await readFile(storedAt(backup.name))).subarray(0, 21).toString()).toBe('age-encryption.org/v1')
  expect(await readdir(join(t.deps.backupsFolder, 'work'))).toEqual([])

  const { url } = (await act(backup.name, 'download_link')) as { url: string }
  const query = Object.fromEntries(new URL(url, 'http://localhost').searchParams)
  const open = () =>
    downloadBackupMethod(t.deps, createAssemblies(t.deps)).run(query, {} as MethodContext) as Promise<Download>
  const whole = await buffer((await open()).open())
  expect([...whole.subarray(0, 4)]).toEqual([0x28, 0xb5, 0x2f, 0xfd])
  expect(whole.length).toBe(backup.size)
  expect(await buffer((await open()).open({ start: 5, end: 20 }))).toEqual(whole.subarray(5, 21))
  t.pass(10 * 60_000 + 1)
  expect(await rejectionOf(open())).toMatchObject({ code: 'forbidden' })
})

test('a restore brings back the site of the backup, and can be undone once', async () => {
  const backup = await backedUp()
  await t.act(site.name, 'set_title', { title: 'Changed' }).catch(() => undefined)
  const restored = (await act(backup.name, 'restore', { what: 'all', backup_first: 0 })) as { job: string }
  expect(await t.end(restored)).toMatchObject({ status: 'Done' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', restored_from: backup.name })
  expect(await read(backup.name)).toMatchObject({ status: 'Ready' })
  expect(await t.end((await act(backup.name, 'undo_restore')) as { job: string })).toMatchObject({ status: 'Done' })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', restored_from: null })
  expect(await rejectionOf(act(backup.name, 'undo_restore'))).toMatchObject({ code: 'conflict' })
})

test('a backup says what its site has now, and what came since', async () => {
  const backup = await backedUp()
  const changesSince = vi.spyOn(t.engine.restores, 'changesSince')
  const compare = async () => (await act(backup.name, 'compare')) as unknown as Comparison
  const before = await compare()
  expect(before).toMatchObject({ now: backup.counts, is_whole: true })
  await t.act(site.name, 'write_file', { path: 'later.txt', content: 'later' })
  const now = await compare()
  expect(now.now.files).toBe(before.now.files + 1)
  const asked = changesSince.mock.calls.map(([, since]) => `${new Date(since).toISOString().slice(0, 23)}`)
  expect(new Set(asked)).toEqual(new Set([backup.taken_at?.slice(0, 23).replace(' ', 'T')]))
  changesSince.mockRestore()
})

test('a backup is not restored while it is being proven', async () => {
  const backup = await backedUp()
  const proof = (await act(backup.name, 'prove')) as { job: string }
  expect(await rejectionOf(act(backup.name, 'restore', {}))).toMatchObject({ code: 'locked' })
  await t.end(proof)
})

test('a damaged archive is never proven, and changes no site', async () => {
  const backup = await backedUp()
  const content = await readFile(storedAt(backup.name))
  content[content.length - 30] = (content[content.length - 30] ?? 0) ^ 1
  await writeFile(storedAt(backup.name), content)
  await t.end((await act(backup.name, 'prove')) as { job: string })
  const after = await read(backup.name)
  expect(after).toMatchObject({ status: 'Ready', proof: 'Failed' })
  expect(await t.siteNow(site.name)).toMatchObject({ backup_proof: 'Failed' })
  expect(after.proof_detail).toMatchObject([{ defect: expect.stringContaining('decrypted') as string }])
  const job = await t.end((await act(backup.name, 'restore', { backup_first: 0 })) as { job: string })
  expect(job).toMatchObject({ status: 'Failed', error_message: expect.stringContaining('damaged') as string })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', locked_by_job: null })
})

test('a deleted backup takes its archive along, a pinned one stays', async () => {
  const before = await t.siteNow(site.name)
  const backup = await backedUp({ pinned: 1 })
  expect(await rejectionOf(t.deps.documents().delete(t.owner, 'Site Backup', backup.name))).toMatchObject({
    code: 'invalid',
  })
  await act(backup.name, 'unpin')
  await t.deps.documents().delete(t.owner, 'Site Backup', backup.name)
  expect(await read(backup.name)).toBeNull()
  // The site shows the newest one that is left.
  const shown = await t.siteNow(site.name)
  expect([shown?.backup_at, shown?.backup_proof]).toEqual([before?.backup_at, before?.backup_proof])
  await backupSweep(t.deps).run()
})

test('a backup that is being made cannot be deleted, nor a second one begun', async () => {
  const busy = await t.live('busy')
  const [{ packed }, held] = [t.engine.backups, Promise.withResolvers<void>()]
  vi.spyOn(t.engine.backups, 'packed').mockImplementationOnce((of) => held.promise.then(() => packed(of)))
  const { name, job } = (await t.act(busy.name, 'backup')) as { name: string; job: string }
  expect((await read(name)).status).toMatch(/Queued|Running/)
  expect(await rejectionOf(t.deps.documents().delete(t.owner, 'Site Backup', name))).toMatchObject({ code: 'conflict' })
  expect(await rejectionOf(t.act(busy.name, 'backup'))).toMatchObject({ code: 'conflict' })
  held.resolve()
  await t.end({ job })
  expect(await read(name)).toMatchObject({ status: 'Ready' })
})

test('a failed backup leaves nothing but its reason', async () => {
  const failing = await t.live('fail-pack')
  const { name, job } = (await t.act(failing.name, 'backup')) as { name: string; job: string }
  expect((await t.end({ job })).status).toBe('Failed')
  expect(await read(name)).toMatchObject({ status: 'Failed', error_message: expect.stringMatching(/./) as string })
  expect(await t.siteNow(failing.name)).toMatchObject({
    status: 'Live',
    locked_by_job: null,
    backup_at: null,
    backup_failed_at: expect.any(String) as string,
  })
})

test('a failed backup is packed anew when it is tried again', async () => {
  const site = await t.live('again')
  const storing = vi.spyOn(t.engine.backups, 'packed').mockRejectedValueOnce(new Error('No room'))
  const { name, job } = (await t.act(site.name, 'backup')) as { name: string; job: string }
  expect((await t.end({ job })).status).toBe('Failed')
  storing.mockRestore()
  const failed = await read(name)
  t.pass(60_000)
  await t.running.documents.runAction(t.owner, 'Job', job, 'retry', {})
  expect(await t.end({ job })).toMatchObject({ status: 'Done', error_message: null })
  const made = await read(name)
  expect(made).toMatchObject({ status: 'Ready', error_message: null })
  expect(String(made?.taken_at) > String(failed?.taken_at)).toBe(true)
})

test('a schedule backs up what is due once, and keeps what its retention says', async () => {
  const due = await t.live('scheduled')
  const made = await t.deps.documents().insert(t.owner, 'Backup Schedule', {
    organization: 'acme',
    site: due.name,
    every: 'day',
    at: '03:00',
    // Between the two can be the end of a week or a month.
    ...{ keep_hourly: 0, keep_daily: 1, keep_weekly: 0, keep_monthly: 0, keep_yearly: 0 },
  })
  expect(made).toMatchObject({ next_run: expect.stringContaining('03:00:00') as string })
  const backups = async () =>
    t.deps.documents().transaction(systemSession('job'), (tx) => tx.list(SiteBackupDoctype, [['site', '=', due.name]]))
  const untilStill = async () => {
    for (const reference of [due.name, ...(await backups()).map(({ name }) => name)])
      for (const job of await jobsOf(reference)) await t.end({ job: job.name })
  }
  const schedules = backupSchedules(t.deps)
  await schedules.run()
  expect(await backups()).toEqual([])
  for (let day = 0; day < 2; day += 1) {
    t.pass(86_400_000)
    await Promise.all([schedules.run(), schedules.run()])
    await untilStill()
    await untilStill()
  }
  const all = await backups()
  expect(all.map(({ kind, status }) => [kind, status])).toEqual([
    ['scheduled', 'Ready'],
    ['scheduled', 'Ready'],
  ])
  const before = await previewRetentionMethod.run({ site: due.name, keep_daily: 1 }, {
    session: t.owner,
    documents: t.deps.documents(),
  } as unknown as MethodContext)
  const newest = all.toSorted((a, b) => ((a.taken_at ?? '') < (b.taken_at ?? '') ? 1 : -1)).map(({ name }) => name)
  expect(before).toEqual({ keep: [newest[0]], delete: [newest[1]] })
  await backupSweep(t.deps).run()
  expect((await backups()).map(({ name }) => name)).toEqual([newest[0]])
})

test('a site whose server has no backups gets no schedule', async () => {
  const one = await t.live('unscheduled')
  const reason = 'Sites on this server don’t support this.'
  const { lacks } = t.engine
  t.engine.lacks = () => ({ backup: reason })
  try {
    const insert = t.deps.documents().insert(t.owner, 'Backup Schedule', { organization: 'acme', site: one.name })
    expect(await rejectionOf(insert)).toMatchObject({ code: 'unsupported', message: reason })
  } finally {
    t.engine.lacks = lacks
  }
})

test('the owner gets the recovery key with a fresh password, nobody else', async () => {
  const download = (session: Session) =>
    t.deps.documents().runAction(session, 'Organization', 'acme', 'download_recovery_key', {})
  expect(await rejectionOf(download({ ...t.owner, reauthAt: null }))).toMatchObject({ field: 'password' })
  const { content } = (await download({ ...t.owner, reauthAt: Date.now() })) as { content: string }
  const identity = /^AGE-SECRET-KEY-\S+$/m.exec(content)?.[0] ?? ''
  const backup = await backedUp()
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  const archive = await decrypter.decrypt(await readFile(storedAt(backup.name)))
  expect(archive.length).toBe(backup.size)
})

test('a proof is a signed document that says what was seen, and a failed one is reported', async () => {
  const backup = await backedUp()
  const get = async (as: 'html' | 'json', session = t.owner) => {
    const context = { session, documents: t.deps.documents() } as unknown as MethodContext
    const file = (await proofDocumentMethod(t.deps).run({ backup: backup.name, as }, context)) as Download
    return text(file.open())
  }
  const said = statementIn(signedProof.parse(JSON.parse(await get('json'))))
  expect(said).toMatchObject({ verdict: 'Proven', backup: backup.name, compared: backup.proof_seen, defects: [] })
  const page = join(t.deps.backupsFolder, 'proof.html')
  const html = await get('html')
  await writeFile(page, html)
  const key = publicKeyLine(createPublicKey(await t.deps.installationKey()))
  const verify = async (...args: string[]) => {
    const lines: string[] = []
    const isGenuine = await verifyProof([page, ...args], (line) => void lines.push(line))
    return { isGenuine, text: lines.join('\n') }
  }
  expect(await verify('--signer', key)).toMatchObject({
    isGenuine: true,
    text: expect.stringContaining('Verdict: Proven') as string,
  })
  expect(await verify()).toMatchObject({ isGenuine: false })
  const other = publicKeyLine(generateKeyPairSync('ed25519').publicKey)
  await expect(verify('--signer', other)).rejects.toThrow('Another key signed it')
  for (const [from, to] of [
    ['<td>Proven</td>', '<td>Perfect</td>'],
    [String.raw`\"Proven\"`, String.raw`\"Failed\"`],
    ['id="proof"', 'id="other"'],
  ] as const) {
    expect(html).toContain(from)
    await writeFile(page, html.replace(from, to))
    await expect(verify('--signer', key)).rejects.toThrow(/does not say what was signed|was changed|not a proof/)
  }

  await writeFile(storedAt(backup.name), 'nothing')
  await t.end((await act(backup.name, 'prove')) as { job: string })
  const [entry] = await t.deps.documents().transaction(systemSession('job'), (tx) =>
    tx.list(
      ActivityDoctype,
      [
        ['action', '=', 'Site.backup_unproven'],
        ['reference_name', '=', site.name],
      ],
      { order_by: 'sequence desc', limit: 1 },
    ),
  )
  expect(entry).toMatchObject({ result: 'Failed', after: { backup: backup.name } })
  expect(statementIn(signedProof.parse(JSON.parse(await get('json'))))).toMatchObject({ verdict: 'Failed' })
})

test('a site is backed up before it is archived, or is not archived', async () => {
  const last = await t.live('last')
  expect(
    (await t.end((await t.act(last.name, 'archive', { confirm_name: 'last', backup: 1 })) as { job: string })).status,
  ).toBe('Done')
  expect(await t.siteNow(last.name)).toMatchObject({ status: 'Archived' })
  const of = (site: string) =>
    t.deps.documents().transaction(systemSession('job'), (tx) => tx.list(SiteBackupDoctype, [['site', '=', site]]))
  const [backup] = await of(last.name)
  expect(backup).toMatchObject({ kind: 'final', status: 'Ready' })
  expect(await t.end({ job: await jobOf(backup?.name ?? '') })).toMatchObject({ status: 'Done' })
  expect((await of(last.name))[0]).toMatchObject({ proof: 'Proven' })
  // It outlives its site.
  await t.end((await t.act(last.name, 'delete_permanently', { confirm_name: 'last' })) as { job: string })
  expect(await t.siteNow(last.name)).toBeNull()
  expect(await of(last.name)).toHaveLength(1)

  // Packing fails for this name; the test above made it.
  const sites = await t.deps
    .documents()
    .transaction(systemSession('job'), (tx) => tx.list(SiteDoctype, [['domain', '=', 'fail-pack']]))
  const failing = sites[0]?.name ?? ''
  const { job } = (await t.act(failing, 'archive', { confirm_name: 'fail-pack', backup: 1 })) as { job: string }
  expect((await t.end({ job })).status).toBe('Failed')
  expect(await t.siteNow(failing)).toMatchObject({ status: 'Live', locked_by_job: null })
  expect((await of(failing)).filter(({ kind }) => kind === 'final')).toMatchObject([{ status: 'Failed' }])
})
