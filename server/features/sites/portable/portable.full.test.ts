import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Download } from '#server/contracts/files.ts'
import type { Session } from '#server/contracts/session.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { ImportReport } from '#shared/responses/site-imports.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { siteRef } from '../engine-of.ts'
import { exportLifeMs } from './export-job.ts'
import { expirePortable } from './expire-portable.ts'

let t: TestSites
let site: Site
let folder: string
let uploaded = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imports-'))
  t = await openTestSites()
  site = await t.live('packed', { title: 'Packed' })
})
afterAll(async () => {
  await t?.close()
  await rm(folder, { recursive: true, force: true })
})

const now = async (name: string) => (await t.siteNow(name)) as Site
/** Exports the site and downloads the archive. */
async function exported(): Promise<Buffer> {
  const job = await t.end(await t.act(site.name, 'export_site'))
  expect(job).toMatchObject({ status: 'Done', label: 'Export Packed' })
  const file = (await t.act(site.name, 'download_export')) as unknown as Download
  return buffer(file.open())
}
/** Sends an archive as the upload does when it is complete. */
async function upload(
  content: Buffer | string,
  domain: string,
  {
    session = t.owner,
    server = t.server.name,
    id = '',
    database,
  }: { session?: Session; server?: string; id?: string; database?: string } = {},
): Promise<Record<string, unknown>> {
  uploaded += 1
  const name = id || String(uploaded).padStart(32, '0')
  const path = join(folder, name)
  await writeFile(path, content)
  const kind = t.uploads.find((one) => one.name === 'site-import')
  const sent = {
    id: name,
    kind: 'site-import',
    fileName: 'packed.zip',
    size: 1,
    metadata: { domain, server, ...(database === undefined ? {} : { database }) },
  }
  await kind?.check(session, sent)
  return { ...(await kind?.finish(session, sent, path)), id: name }
}

test('an export can be downloaded until it expires, is deleted or replaced', async () => {
  expect(await rejectionOf(t.act(site.name, 'download_export'))).toMatchObject({ code: 'conflict' })
  const archive = await exported()
  const after = await now(site.name)
  expect(after).toMatchObject({ status: 'Live', export_bytes: archive.length, locked_by_job: null })
  expect(after.export_expires).not.toBeNull()
  await exported()
  // As long as there is a file, the site says so.
  const { remove } = t.engine.exports
  Reflect.set(t.engine.exports, 'remove', () => Promise.reject(new Error('no')))
  expect(await rejectionOf(t.act(site.name, 'delete_export'))).not.toBeNull()
  Reflect.set(t.engine.exports, 'remove', remove)
  expect((await now(site.name)).export_bytes).not.toBeNull()
  await t.act(site.name, 'delete_export')
  expect(await now(site.name)).toMatchObject({ export_bytes: null, export_expires: null })
  expect(await rejectionOf(t.act(site.name, 'download_export'))).toMatchObject({ code: 'conflict' })

  await exported()
  expect(await expirePortable(t.deps, t.host)).toBe(0)
  t.pass(exportLifeMs + 1_000)
  expect(await expirePortable(t.deps, t.host)).toBe(1)
  expect(await now(site.name)).toMatchObject({ export_bytes: null })
})

test('a failed export changes nothing and leaves nothing', async () => {
  const failing = await t.live('fail-export')
  const job = await t.end(await t.act(failing.name, 'export_site'))
  expect(job.status).toBe('Failed')
  expect(await now(failing.name)).toMatchObject({ status: 'Live', export_bytes: null, locked_by_job: null })
})

test('an uploaded export becomes a site of its own, with a report that can be closed', async () => {
  const made = await upload(await exported(), 'unpacked')
  const job = await t.end(made)
  expect(job).toMatchObject({ status: 'Done', label: 'Import packed.zip as Packed', reference_name: made['site'] })
  const name = String(made['site'])
  expect(await now(name)).toMatchObject({
    ...{
      domain: 'unpacked',
      status: 'Live',
      health: 'Up',
      title: 'Packed',
      site_type: 'wp',
      import_file: 'packed.zip',
    },
    ...{ admin_user: 'admin', admin_email: 'admin@example.com', admin_password: null, import_defects: 0 },
  })
  const report = (await t.act(name, 'read_import_report')) as unknown as ImportReport
  expect(report).toMatchObject({ source: 'easydash', file: 'packed.zip', defects: [] })
  await t.act(name, 'close_import_report')
  expect(await t.act(name, 'read_import_report')).toBeNull()
  expect((await now(name)).import_defects).toBeNull()
})

test('a WordPress is imported into the database that was chosen', async () => {
  const archive = await exported()
  const made = await upload(archive, 'on-mysql', { database: 'mysql' })
  expect(await t.end(made)).toMatchObject({ status: 'Done' })
  expect(await now(String(made['site']))).toMatchObject({ status: 'Live', database: 'mysql' })
  expect(await t.end(await t.act(String(made['site']), 'move_to_sqlite'))).toMatchObject({ status: 'Done' })
  expect(await rejectionOf(upload(archive, 'on-oracle', { database: 'oracle' }))).toMatchObject({
    code: 'invalid',
    field: 'database',
  })
})

test('defects are counted and named', async () => {
  const made = await upload(await exported(), 'defect-site')
  await t.end(made)
  expect((await now(String(made['site']))).import_defects).toBe(1)
  const report = (await t.act(String(made['site']), 'read_import_report')) as unknown as ImportReport
  expect(report.defects).toEqual([{ kind: 'media', what: '2024/05/gone.jpg', detail: '' }])
})

test('the pages are compared with those that the original still shows', async () => {
  const archive = await exported()
  const visited: string[] = []
  const compared = async (domain: string, visit: typeof t.deps.visitPublic): Promise<ImportReport> => {
    t.deps.visitPublic = (url, signal) => {
      visited.push(url)
      return visit(url, signal)
    }
    const made = await upload(archive, domain)
    expect((await t.end(made)).status).toBe('Done')
    return (await t.act(String(made['site']), 'read_import_report')) as unknown as ImportReport
  }
  const { visitPublic } = t.deps
  const original = ({ counts }: ImportReport) => counts.find(({ what }) => what === 'original')
  const page = (title: string) => ({ status: 200, body: `<html><title>${title}</title><p>secret</p></html>` })

  const same = await compared('like-original', async () => page('Packed'))
  expect([original(same), same.defects]).toEqual([{ what: 'original', expected: 1, found: 1 }, []])
  expect(visited).toEqual([`${t.engine.siteUrl(siteRef(site, thisMachine)).replace('http:', 'https:')}/`])

  const other = await compared('unlike-original', async () => page('Parked'))
  expect(original(other)).toEqual({ what: 'original', expected: 1, found: 0 })
  expect(other.defects).toEqual([{ kind: 'original', what: '/', detail: '' }])

  for (const [domain, visit] of [
    ['original-away', visitPublic],
    ['original-moved', async () => ({ status: 301, body: '' })],
  ] as const) {
    const away = await compared(domain, visit)
    expect([original(away), away.defects]).toEqual([{ what: 'original', expected: 0, found: 0 }, []])
  }
  t.deps.visitPublic = visitPublic
})

test('the end of an upload that is repeated makes no second site', async () => {
  const archive = await exported()
  const first = await upload(archive, 'once')
  const again = await upload(archive, 'once', { id: String(first['id']) })
  expect(again).toEqual(first)
  await t.end(first)
})

test('a failed import is Failed with a way out: retry, or delete', async () => {
  const archive = await exported()
  const made = await upload(archive, 'flaky-check')
  expect(await t.end(made)).toMatchObject({ status: 'Done' })
  const failed = await upload(archive, 'fail-check')
  expect(await t.end(failed)).toMatchObject({ status: 'Failed' })
  const name = String(failed['site'])
  expect(await now(name)).toMatchObject({ status: 'Failed', locked_by_job: null })
  await t.end(await t.act(name, 'delete_permanently', { confirm_name: 'fail-check' }))
  expect(await t.siteNow(name)).toBeNull()
})

test('what is no archive, or may not be imported there, makes no site', async () => {
  expect(await rejectionOf(upload('no archive', 'nothing'))).toMatchObject({ code: 'invalid' })
  const archive = await exported()
  expect(await rejectionOf(upload(archive, ''))).toMatchObject({ code: 'invalid', field: 'domain' })
  expect(await rejectionOf(upload(archive, 'elsewhere', { server: t.otherServer.name }))).toMatchObject({
    code: 'invalid',
    field: 'server',
  })
  expect(await rejectionOf(upload(archive, 'packed'))).not.toBeNull()
  const stranger = sessionOf('nobody@acme.example', 'acme')
  expect(await rejectionOf(upload(archive, 'strange', { session: stranger }))).not.toBeNull()
})
