import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ReadersQuestion } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { statementsOf } from '#tests/support/query-plans.ts'

let t: TestDocuments
let file: string
/** Forty connections each. */
let sessions: Session[]
const ann = 'ann@acme.example'

beforeAll(async () => {
  t = await createTestDocuments()
  for (const slug of ['acme', 'globex']) await t.organization(slug)
  const own = await t.member('acme', ann, 'Organization User')
  file = await t.documents.transaction(t.system, async (tx) => {
    await tx.insert('User Meta', { user: ann }, { owner: ann })
    return (await tx.insert('File', { file_name: 'a.txt' }, { owner: ann })).name
  })
  const people = [
    own,
    sessionOf('owner@acme.example', 'acme'),
    sessionOf('owner@globex.example', 'globex'),
    sessionOf('root@example.com', null, { platformAdmin: true }),
  ]
  sessions = people.flatMap((one) => Array.from({ length: 40 }, () => ({ ...one })))
})
afterAll(() => t?.close())

/** Who can read a document, and how many statements it took to find out. */
async function readersOf(document: ReadersQuestion): Promise<{ users: string[]; statements: number }> {
  let users: string[] = []
  const { length } = await statementsOf(t, async () => {
    const found = await t.documents.readers(sessions, document)
    users = [...new Set([...found].map(({ user }) => user))].toSorted()
  })
  return { users, statements: length }
}
const [owner, root] = ['owner@acme.example', 'root@example.com']

test('rows of users are read by them, by colleagues if a role says so, and by platform admins', async () => {
  const of = (doctype: string) => readersOf({ doctype, name: ann, organization: null, kind: 'update' })
  expect(await of('User')).toEqual({ users: [ann, owner, root], statements: 2 })
  expect(await of('User Meta')).toEqual({ users: [ann, root], statements: 2 })
  expect(await readersOf({ doctype: 'User Meta', name: 'nobody', organization: null })).toMatchObject({ users: [] })
})

test('a deleted row was its user’s, and an account that left an organization was everybody’s there', async () => {
  const deleted = { kind: 'delete', doctype: 'User Meta', name: 'x', organization: null } as const
  expect((await readersOf({ ...deleted, of_user: ann })).users).toEqual([ann, root])
  expect((await readersOf(deleted)).users).toEqual([root])
  const left = { kind: 'delete', doctype: 'User', name: 'left@acme.example', organization: 'acme' } as const
  expect((await readersOf(left)).users).toEqual([ann, owner, root])
})

test('personal files are their owner’s; rows of the platform are looked up for nobody', async () => {
  const { users, statements } = await readersOf({ doctype: 'File', name: file, organization: null })
  expect([users, statements]).toEqual([[ann], 3])
  expect(await readersOf({ doctype: 'Plan', name: 'Free', organization: null })).toEqual({
    users: ['owner@acme.example', 'owner@globex.example', ann, root].toSorted(),
    statements: 0,
  })
  expect((await readersOf({ doctype: 'Site Quota', name: 'html', organization: null })).users).toEqual([root])
})

test('the organization of a document is looked up if it is not given', async () => {
  expect((await readersOf({ doctype: 'Organization', name: 'acme' })).users).toEqual([ann, owner, root])
  expect((await readersOf({ doctype: 'Server', name: 'nothing' })).users).toEqual([])
})
