import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { serverRef } from '#server/engines/site-ref.ts'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isDownload } from '#server/contracts/files.ts'
import type { Session } from '#server/contracts/session.ts'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { createSites } from '../sites.ts'

let t: TestSites
let site: string
let reader: Session
let folder: string

beforeAll(async () => {
  t = await openTestSites()
  folder = await mkdtemp(join(tmpdir(), 'site-file-'))
  site = (await t.live('files', { site_type: 'html' })).name
  await t.deps.documents().transaction(systemSession(), async (tx) => {
    await tx.insert(UserDoctype, { email: 'mia@acme.example', first_name: 'Mia', enabled: 1, email_verified: 1 })
    await tx.insert(OrganizationMemberDoctype, {
      parent: 'acme',
      parenttype: 'Organization',
      parentfield: 'members',
      user: 'mia@acme.example',
      organization_role: 'Organization User',
    })
  })
  reader = sessionOf('mia@acme.example', 'acme')
  await t.act(site, 'share', { user: 'mia@acme.example', read: 1 })
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await t?.close()
})

const lastActivity = async () =>
  (
    await t.deps.documents().list(t.owner, ActivityDoctype.name, {
      fields: ['action', 'detail', 'result'],
      filters: [['reference_name', '=', site]],
      order_by: 'creation desc',
      limit: 1,
    })
  )[0]

test('who may only read the site sees no file, and changes none', async () => {
  const { actions = {} } = SiteDoctype
  const path = 'index.html'
  const args: Record<string, Record<string, unknown>> = {
    list_files: {},
    read_file: { path },
    list_trash: {},
    download_files: { paths: [path] },
    write_file: { path, content: 'x' },
    delete_files: { paths: [path] },
    put_file: { upload: 'a'.repeat(32), path },
    unzip_file: { path },
    zip_files: { paths: [path], to: 'x.zip' },
  }
  for (const [action, given] of Object.entries(args)) {
    expect(Object.keys(actions)).toContain(action)
    expect(await rejectionOf(t.act(site, action, given, reader)), action).toMatchObject({ code: 'forbidden' })
  }
})

test('an edit is recorded with its path and without its content', async () => {
  const { content, version } = (await t.act(site, 'read_file', { path: 'index.html' })) as Record<string, unknown>
  expect(content).toContain('page')
  await t.act(site, 'write_file', { path: 'index.html', content: 'a secret', version })
  expect(await lastActivity()).toMatchObject({ action: 'Site.write_file', detail: 'index.html', result: 'Done' })
  const conflict = await rejectionOf(t.act(site, 'write_file', { path: 'index.html', content: 'late', version }))
  expect(conflict).toMatchObject({ code: 'conflict' })
  expect(await lastActivity()).toMatchObject({ action: 'Site.write_file', result: 'Failed' })
  expect(JSON.stringify(await t.deps.documents().list(t.owner, 'Activity', { fields: ['*'], limit: 0 }))).not.toContain(
    'a secret',
  )
})

test('names in the log cannot reorder it', async () => {
  await rejectionOf(t.act(site, 'write_file', { path: 'a\u202Eb\nc', content: 'x' }))
  expect(await lastActivity()).toMatchObject({ detail: 'ab c', result: 'Failed' })
})

test('deleted files come back', async () => {
  await t.act(site, 'create_folder', { path: 'gone' })
  const { trash } = (await t.act(site, 'delete_files', { paths: ['gone'] })) as { trash: string }
  expect(await t.act(site, 'list_trash')).toMatchObject([{ trash, paths: ['gone'] }])
  expect(await t.act(site, 'restore_files', { trash })).toEqual({ paths: ['gone'] })
})

test('downloads are attachments of a type that runs nowhere', async () => {
  for (const [path, type] of [
    ['a.svg', 'application/octet-stream'],
    ['a.html', 'application/octet-stream'],
    ['a.png', 'image/png'],
  ] as const) {
    await t.act(site, 'write_file', { path, content: 'x' })
    const file: unknown = await t.act(site, 'download_files', { paths: [path] })
    expect(isDownload(file) && [file.contentType, file.length]).toEqual([type, 1])
  }
  const several: unknown = await t.act(site, 'download_files', { paths: ['a.svg', 'a.png'] })
  expect(isDownload(several) && several.fileName).toBe('files.zip')
  expect(isDownload(several) && (await buffer(several.open())).subarray(0, 2).toString()).toBe('PK')
})

test('an upload becomes a file, for those who may change the site', async () => {
  const kind = createSites(t.deps).uploads?.find(({ name }) => name === 'site_file')
  const upload = (path: string, more: Record<string, string> = {}) => ({
    id: 'b'.repeat(32),
    kind: 'site_file',
    fileName: 'x',
    size: 1,
    metadata: { site, path, ...more },
  })
  await expect(kind?.check(reader, upload('up.txt'))).rejects.toMatchObject({ code: 'forbidden' })
  await expect(kind?.check(t.owner, upload('../up.txt'))).rejects.toMatchObject({ code: 'invalid' })
  await kind?.check(t.owner, upload('up.txt'))
})

test('an upload cannot be named by anybody but the upload itself', async () => {
  const error = await rejectionOf(t.act(site, 'put_file', { upload: '/etc/passwd', path: 'passwd' }))
  expect(error).toMatchObject({ code: 'not_found' })
})

test('an archive is unpacked by a job, which leaves a refused one as it is', async () => {
  const source = join(folder, 'a.zip')
  await writeFile(source, makeZip([{ name: 'in/file.txt', content: Buffer.from('unpacked') }]))
  const ref = {
    id: site,
    domain: 'files',
    siteType: 'html' as const,
    phpVersion: '8.4',
    server: { ...serverRef({ name: t.server.name }) },
  }
  await t.engine.files.put(ref, 'a.zip', source, false)
  const job = await t.end(await t.act(site, 'unzip_file', { path: 'a.zip', folder: 'out' }))
  expect(job.status).toBe('Done')
  expect(await t.act(site, 'read_file', { path: 'out/in/file.txt' })).toMatchObject({ content: 'unpacked' })
  expect(await lastActivity()).toMatchObject({ result: 'Done', detail: 'a.zip' })
  await writeFile(source, makeZip([{ name: '../slip', content: Buffer.from('x') }]))
  await t.engine.files.put(ref, 'b.zip', source, false)
  const refused = await t.end(await t.act(site, 'unzip_file', { path: 'b.zip', folder: 'out' }))
  expect(refused).toMatchObject({ status: 'Failed' })
  expect(JSON.stringify(refused)).toContain('../slip')
  expect(await t.siteNow(site)).toMatchObject({ status: 'Live', failure_reason: null })
})

test('files are packed into an archive by a job; without room nothing is made', async () => {
  await t.act(site, 'write_file', { path: 'p.txt', content: 'x' })
  const job = await t.end(await t.act(site, 'zip_files', { paths: ['p.txt'], to: 'p.zip' }))
  expect(job.status).toBe('Done')
  expect(await lastActivity()).toMatchObject({ result: 'Done', detail: 'p.zip' })
  const file: unknown = await t.act(site, 'download_files', { paths: ['p.zip'] })
  expect(isDownload(file) && (await buffer(file.open())).subarray(0, 2).toString()).toBe('PK')
  const again = await t.end(await t.act(site, 'zip_files', { paths: ['p.txt'], to: 'p.zip' }))
  expect(again).toMatchObject({ status: 'Failed' })
  expect(await t.siteNow(site)).toMatchObject({ status: 'Live', failure_reason: null })
})

const has = async (path: string) =>
  ((await t.act(site, 'list_files', {})) as { entries: { name: string }[] }).entries.some(({ name }) => name === path)

/** Starts the job of an archive; `then` is called when the archive is in place, before the job knows. */
async function zipThen(to: string, then: (job: string) => Promise<unknown>) {
  const pack = t.engine.files.packInto.bind(t.engine.files)
  vi.spyOn(t.engine.files, 'packInto').mockImplementationOnce(async (...given) => {
    const packed = await pack(...given)
    await then(String(given[3].operationId))
    return packed
  })
  const started = await t.act(site, 'zip_files', { paths: ['index.html'], to })
  return { started, job: await t.end(started) }
}
const cancel = (job: string) => t.running.documents.runAction(t.owner, 'Job', job, 'cancel', {})

test('a cancel that comes when the archive is in place removes it', async () => {
  const { job } = await zipThen('late.zip', cancel)
  expect(job).toMatchObject({ status: 'Cancelled', outcome: expect.stringContaining('no archive was made') })
  expect(await has('late.zip')).toBe(false)
  expect(await t.siteNow(site)).toMatchObject({ status: 'Live', locked_by_job: null })
})

test('a cancel leaves a file that others put into the place of the archive, and says so', async () => {
  const { job } = await zipThen('theirs.zip', async (name) => {
    const { id, domain } = { id: site, domain: 'files' }
    const ref = {
      id,
      domain,
      siteType: 'html' as const,
      phpVersion: '8.4',
      server: { ...serverRef({ name: t.server.name }) },
    }
    await writeFile(join(folder, 'theirs'), 'theirs')
    await t.engine.files.put(ref, 'theirs.zip', join(folder, 'theirs'), true)
    await cancel(name)
  })
  expect(job).toMatchObject({ status: 'Cancelled', outcome: expect.stringContaining('theirs.zip') })
  expect(job.outcome).not.toContain('no archive')
  expect(await t.act(site, 'read_file', { path: 'theirs.zip' })).toMatchObject({ content: 'theirs' })
})

test('a failure that comes when the archive is in place removes it, and a retry makes it again', async () => {
  const { started, job } = await zipThen('failing.zip', () => Promise.reject(new Error('lost')))
  expect(job).toMatchObject({ status: 'Failed', next_action: expect.stringContaining('No archive was made') })
  expect(await has('failing.zip')).toBe(false)
  await t.running.documents.runAction(t.owner, 'Job', job.name, 'retry', {})
  expect(await t.end(started)).toMatchObject({ status: 'Done' })
  expect(await has('failing.zip')).toBe(true)
})

test('an archive that cannot be removed does not keep the site from its status; the job says what is wrong', async () => {
  vi.spyOn(t.engine.files, 'undoPack').mockRejectedValueOnce(new Error('disk gone'))
  const { job } = await zipThen('kept.zip', () => Promise.reject(new Error('lost')))
  expect(job).toMatchObject({ status: 'Failed', error_message: expect.stringContaining('disk gone') })
  expect(job.next_action).not.toContain('No archive')
  expect(await t.siteNow(site)).toMatchObject({ status: 'Live', locked_by_job: null })
})
