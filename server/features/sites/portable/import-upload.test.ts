import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Download } from '#server/contracts/files.ts'
import type { AnyDoc } from '#shared/doctype.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'

let t: TestSites
let archive: Buffer

beforeAll(async () => {
  t = await openTestSites()
  const site = await t.live('packed', { title: 'Packed' })
  await t.end(await t.act(site.name, 'export_site'))
  archive = await buffer(((await t.act(site.name, 'download_export')) as unknown as Download).open())
})
afterAll(() => t?.close())

/** Sends an archive that names no target; returns what is answered at its end. */
async function sent(content = archive, session = t.owner): Promise<Readonly<Record<string, unknown>>> {
  const id = randomBytes(16).toString('hex')
  const upload = { id, kind: 'site-import', fileName: 'packed.zip', size: content.length, metadata: {} }
  await t.uploadStore.create(session, upload)
  await t.uploadStore.append(session, id, 0, Readable.from([content]))
  return t.uploadStore.finish(session, id)
}

const inserted = (values: Record<string, unknown>, session = t.owner): Promise<AnyDoc> =>
  t.deps.documents().insert(session, 'Site', { server: t.server.name, ...values })

test('an archive is uploaded, and the site that names the upload is made of it, once', async () => {
  const { upload, ...answer } = await sent()
  expect(answer).toMatchObject({ site_type: 'wp', title: 'Packed' })
  // Nothing is lost with a site that can't be there.
  for (const [values, field] of [
    [{ domain: 'packed' }, 'domain'],
    [{ domain: 'unpacked', server: t.otherServer.name }, 'server'],
    [{}, 'domain'],
  ] as const)
    expect(await rejectionOf(inserted({ ...values, import_upload: upload }))).toMatchObject({ field })
  const made = await inserted({ domain: 'unpacked', import_upload: `http://localhost/api/uploads/${String(upload)}` })
  expect(await t.end(made)).toMatchObject({ status: 'Done', label: 'Import packed.zip as Packed' })
  expect(await t.siteNow(made.name)).toMatchObject({
    ...{ status: 'Live', health: 'Up', title: 'Packed', site_type: 'wp', import_file: 'packed.zip', import_defects: 0 },
    ...{ admin_user: 'admin', admin_password: null },
  })
  expect(await rejectionOf(inserted({ domain: 'again', import_upload: upload }))).toMatchObject({
    ...{ code: 'invalid', field: 'import_upload' },
  })
})

test('only a complete archive of one’s own can be named', async () => {
  const { upload } = await sent()
  for (const { session = t.owner, ...rest } of [
    { import_upload: upload, session: t.other, server: t.otherServer.name },
    { import_upload: 'a'.repeat(32) },
  ]) {
    expect(await rejectionOf(inserted({ domain: 'stolen', ...rest }, session))).toMatchObject({
      ...{ code: 'invalid', field: 'import_upload' },
    })
  }
  expect(await rejectionOf(sent(Buffer.from('no archive')))).toMatchObject({ code: 'invalid' })
  // It counts until it is used, or deleted: then nobody keeps the archive.
  const { discard } = t.engine.imports
  const discarded: string[] = []
  Reflect.set(t.engine.imports, 'discard', (id: string) => discard(id).then(() => discarded.push(id)))
  await t.uploadStore.remove(t.owner, String(upload))
  Reflect.set(t.engine.imports, 'discard', discard)
  expect(discarded).toEqual([upload])
  expect(await rejectionOf(inserted({ domain: 'gone', import_upload: upload }))).toMatchObject({
    field: 'import_upload',
  })
})
