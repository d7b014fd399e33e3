import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import type { FileRequest, Upload } from '#server/contracts/files.ts'
import { renameUser } from '#server/features/accounts/rename-user.ts'
import { accountTables } from '#server/features/accounts/tables.ts'
import { FileDoctype, type StoredFile } from '#shared/doctypes/file.ts'
import { createFiles, type Files } from './files.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let t: TestDocuments
let files: Files
let folder: string
let clock = Date.now()
const owner = sessionOf('owner@acme.example', 'acme')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'))
  files = createFiles({ documents: () => t.documents, folder, now: () => clock })
  t = await createTestDocuments({ controllers: files.controllers })
  await accountTables(t.test.database.db)
  await t.organization('acme')
})
afterAll(async () => {
  await t?.close()
  await rm(folder, { recursive: true })
})

async function* content(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
const receive = (text: string): Promise<Upload> => files.store.receive(content(text), 'x.txt')
const fileRequest = async (given: Partial<FileRequest> = {}): Promise<FileRequest> => ({
  upload: await receive('content'),
  fileUrl: null,
  fileName: null,
  isPrivate: true,
  folder: null,
  doctype: 'Organization',
  docname: 'acme',
  fieldname: null,
  docfield: null,
  ...given,
})
const attach = async (given?: Partial<FileRequest>) =>
  (await files.store.attach(owner, await fileRequest(given))) as unknown as StoredFile
const sweep = async () => (await Promise.all(files.sweeps.map((one) => one.run())))[0]
const stored = async () => (await readdir(folder, { recursive: true })).filter((name) => /[0-9a-f]{40}/.test(name))

test('the sweep leaves what documents have, and takes what lost its document', async () => {
  const kept = await attach()
  const lost = await attach()
  const server = await t.documents.transaction(t.system, (tx) =>
    tx.insert(ServerDoctype, { organization: 'acme', hostname: 'gone.acme.test', status: 'Healthy' }),
  )
  await attach({ doctype: 'Server', docname: server.name })
  await receive('never attached')
  const { db } = t.test.database
  await sql`delete from tab_file where name = ${lost.name}`.execute(db)
  // Without our hooks, as happens only in a restored or repaired database.
  await sql`delete from tab_server where name = ${server.name}`.execute(db)
  expect(await stored()).toHaveLength(4)
  // The document of the deleted server is removed at once; contents are kept for an hour, because an upload may be in
  // progress.
  expect(await sweep()).toBe(1)
  expect(await stored()).toHaveLength(3)
  clock += 3_700_000
  expect(await sweep()).toBe(2)
  expect(await stored()).toEqual([expect.stringContaining(kept.file_url?.split('/').at(-1) as string)])
  expect(await sweep()).toBe(0)
})

test('a deletion that is rolled back keeps the content', async () => {
  const file = await attach()
  const failing = t.documents.transaction(t.system, async (tx) => {
    await tx.delete(FileDoctype, file.name)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await (await files.store.open(owner, file.file_url as string)).open().toArray()).toHaveLength(1)
})

test('an organization takes all its files along', async () => {
  await t.organization('short')
  const there = sessionOf('owner@short.example', 'short')
  const before = (await stored()).length
  await files.store.attach(there, await fileRequest({ docname: 'short' }))
  await files.store.attach(there, await fileRequest({ doctype: null, docname: null }))
  expect(await stored()).toHaveLength(before + 2)
  await t.documents.transaction(t.system, (tx) => tx.delete(OrganizationDoctype, 'short'))
  expect(await stored()).toHaveLength(before)
})

test('pictures follow a person to another address', async () => {
  const { file_url: url, name } = await attach({ doctype: 'User', docname: owner.user })
  await t.documents.transaction(t.system, (tx) => renameUser(tx, owner.user, 'new@acme.example'))
  const renamed = sessionOf('new@acme.example', 'acme')
  expect(await t.documents.get(renamed, 'File', name)).toMatchObject({
    owner: 'new@acme.example',
    attached_to_name: 'new@acme.example',
  })
  expect((await files.store.open(renamed, url as string)).length).toBe('content'.length)
})
