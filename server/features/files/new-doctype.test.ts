/** What the description of a doctype says is enough: no list elsewhere names it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { doctype, type DoctypeOptions } from '#shared/doctype.ts'
import { ApiTokenDoctype } from '#shared/doctypes/api-token.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { data, link } from '#shared/fields.ts'
import { createFiles, type Files } from './files.ts'

const fields = { organization: link('Organization', { reqd: true }), title: data({ reqd: true }) }
const described = (name: string, options: Partial<DoctypeOptions<typeof fields, Record<never, unknown>, false>>) =>
  doctype(name, {
    module: 'core',
    tenant: { kind: 'link', field: 'organization' },
    naming: 'random',
    title_field: 'title',
    fields,
    permissions: {
      Owner: { read: true, create: true, write: true, delete: true },
      'Organization Admin': { read: true },
      'Organization Manager': { read: true },
      'Organization User': { read: true },
    },
    ...options,
  })
const Cage = described('Cage', {
  attachments: true,
  activity_readers: ['Organization Manager'],
  area: 'servers',
})
const Secretive = described('Secretive', {})

let t: TestDocuments
let files: Files
let folder: string
const owner = sessionOf('owner@acme.example', 'acme')
let manager: Session
let member: Session
const docs: Record<string, string> = {}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'))
  const extra = [Cage, Secretive]
  files = createFiles({ documents: () => t.documents, folder, doctypes: [...doctypes, ...extra] })
  t = await createTestDocuments({ extra, controllers: files.controllers })
  await t.organization('acme')
  manager = await t.member('acme', 'manager@acme.example', 'Organization Manager')
  member = await t.member('acme', 'member@acme.example', 'Organization User')
  for (const name of ['Cage', 'Secretive'])
    docs[name] = (await t.documents.insert(owner, name, { organization: 'acme', title: name })).name
})
afterAll(async () => {
  await t?.close()
  await rm(folder, { recursive: true })
})

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) => (error as { code: string }).code,
  )
async function attach(to: string) {
  const content = async function* () {
    yield Buffer.from('content')
  }
  return files.store.attach(owner, {
    upload: await files.store.receive(content(), 'x.txt'),
    fileUrl: null,
    fileName: null,
    isPrivate: true,
    folder: null,
    doctype: to,
    docname: docs[to] ?? '',
    fieldname: null,
    docfield: null,
  })
}

test('attachments: accepted, readable by everyone who can read the document, deleted with it', async () => {
  const file = await attach('Cage')
  expect(await code(t.documents.get(member, 'File', file.name))).toBe('done')
  expect(await code(attach('Secretive'))).toBe('invalid')
  const other = await t.documents.insert(owner, 'Cage', { organization: 'acme', title: 'Other' })
  docs['Cage'] = other.name
  const deleted = await attach('Cage')
  await t.documents.delete(owner, 'Cage', other.name)
  expect(await code(t.documents.get(owner, 'File', deleted.name))).toBe('not_found')
})

test('activity: seen by the roles it names, and by admins', async () => {
  const seen = async (session: Session, name: string) =>
    (await t.documents.count(session, 'Activity', { filters: { reference_doctype: name } })) > 0
  expect([await seen(owner, 'Cage'), await seen(manager, 'Cage'), await seen(member, 'Cage')]).toEqual([
    true,
    true,
    false,
  ])
  expect([await seen(owner, 'Secretive'), await seen(manager, 'Secretive')]).toEqual([true, false])
})

test('area: API tokens need its scope; without an area they have no access', async () => {
  const { name } = await t.documents.transaction(t.system, (tx) =>
    tx.insert(ApiTokenDoctype, {
      organization: 'acme',
      title: 'A script',
      user: owner.user,
      role: 'Organization Admin',
      scopes: [],
      api_key: 'ak_test',
      enabled: 1,
    }),
  )
  const token = (scopes: NonNullable<Session['token']>['scopes']): Session => ({
    ...owner,
    kind: 'token',
    token: { name, organization: 'acme', role: 'Organization Admin', scopes },
  })
  const titles = (session: Session, name: string) => code(t.documents.list(session, name, { fields: ['title'] }))
  expect(await titles(token(['servers:read']), 'Cage')).toBe('done')
  expect(await titles(token(['sites:read']), 'Cage')).toBe('forbidden')
  expect(await titles(token(['servers:write', 'sites:write']), 'Secretive')).toBe('forbidden')
})
