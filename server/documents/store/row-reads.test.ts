import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { GadgetDoctype } from '#tests/support/gadget.ts'
import { statementsOf } from '#tests/support/query-plans.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import type { AnyDoc } from '#shared/doctype.ts'
import { tableRef } from './schema.ts'

let t: TestDocuments
const owner = sessionOf('owner@acme.example', 'acme')

beforeAll(async () => {
  t = await createTestDocuments({
    extra: [GadgetDoctype],
    controllers: [
      {
        doctype: 'Organization',
        async on_update(doc, _before, { tx }) {
          if (doc.title !== 'Promotes') return
          const member = await tx.find(OrganizationMemberDoctype, [['user', '=', 'ben@acme.example']])
          if (member)
            await tx.update(OrganizationMemberDoctype, member.name, { organization_role: 'Organization Manager' })
        },
      },
      {
        doctype: 'Gadget',
        actions: {
          polish: async (doc, args, { tx }) => {
            // A statement of the handler's own, after which nothing that was read before is relied on.
            if (args.times === 2)
              await sql`update ${tableRef('Gadget')} set label = 'Dull' where name = ${doc.name}`.execute(tx.trx)
            if (args.times === 3) doc.label = 'Not stored'
            const { label, status } = await tx.update(GadgetDoctype, doc.name, { status: 'shiny' })
            return { label, status }
          },
        },
        async on_update(doc, before, { tx }) {
          if (doc.size === 7 && before.size !== 7) await tx.update(GadgetDoctype, doc.name, { size: 8 })
          if (doc.size === 9)
            await sql`update ${tableRef('Gadget')} set size = 10 where name = ${doc.name}`.execute(tx.trx)
        },
      },
    ],
  })
  await t.organization('acme')
})
afterAll(() => t?.close())

/** All statements that the work sends, and those of them that read rows of gadgets. */
async function readsDuring<T>(work: () => Promise<T>): Promise<{ found: T; statements: string[]; all: string[] }> {
  let found: T
  const sent = await statementsOf(t, async () => {
    found = await work()
  })
  const all = sent.map(({ text }) => text.replace(/^\/\*.*?\*\//, '').trim())
  const statements = all.filter((one) => /^(?:select|with)\b/.test(one) && one.includes('"tab_gadget"'))
  return { found: found!, all, statements }
}

const gadget = (values = {}) => t.documents.insert(owner, 'Gadget', { label: 'Lamp', ...values })

test('a new document is returned as its insertion stored it', async () => {
  const { found, statements } = await readsDuring(() => gadget({ extra: { a: 1 }, token: 'hidden' }))
  expect(statements).toEqual([])
  expect(found).toMatchObject({ label: 'Lamp', extra: { a: 1 }, token: '*****' })
})

test('a saved document reads its row once', async () => {
  const { name, modified } = await gadget()
  const { found, statements } = await readsDuring(() =>
    t.documents.save(owner, 'Gadget', name, { size: 3, extra: { b: 2 }, modified }),
  )
  expect(statements).toEqual([expect.stringContaining('for update')])
  expect(found).toEqual(await t.documents.get(owner, 'Gadget', name))
  expect(found).toMatchObject({ size: 3, extra: { b: 2 }, label: 'Lamp' })
})

test('a save is at most eight statements, with begin, activity entry, notification and commit', async () => {
  const { name } = await gadget()
  const { all } = await readsDuring(() => t.documents.save(owner, 'Gadget', name, { size: 3 }))
  expect(all.length).toBeLessThanOrEqual(8)
  expect(all.filter((one) => one.includes('easydash_activity_head'))).toHaveLength(1)
})

test('a save of a document with rows of a table is at most eight statements, too, and returns the rows as they are', async () => {
  await t.member('acme', 'ben@acme.example', 'Organization User')
  const { found, all } = await readsDuring(() => t.documents.save(owner, 'Organization', 'acme', { title: 'Acme Web' }))
  expect(all.length, all.join('\n')).toBeLessThanOrEqual(8)
  expect(found).toEqual(await t.documents.get(owner, 'Organization', 'acme'))
  expect(found).toMatchObject({ title: 'Acme Web', members: [{}, { user: 'ben@acme.example' }] })
  expect(await t.documents.save(owner, 'Organization', 'acme', {})).toMatchObject({ members: [{}, {}] })
})

test('rows of a table that a hook changes are in the response', async () => {
  const member = (doc: AnyDoc) => (doc.members as AnyDoc[]).find(({ user }) => user === 'ben@acme.example')
  const before = await t.documents.get(owner, 'Organization', 'acme')
  const saved = await t.documents.save(owner, 'Organization', 'acme', { title: 'Promotes' })
  expect([member(before), member(saved)].map((one) => one?.organization_role)).toEqual([
    'Organization User',
    'Organization Manager',
  ])
  expect(saved).toEqual(await t.documents.get(owner, 'Organization', 'acme'))
})

test('reading a document is one statement', async () => {
  const { name } = await gadget()
  const { all } = await readsDuring(() => t.documents.get(owner, 'Gadget', name))
  expect(all).toHaveLength(1)
})

test('an action that changes its document reads its row once', async () => {
  const { name } = await gadget()
  const { found, statements } = await readsDuring(() =>
    t.documents.runAction(owner, 'Gadget', name, 'polish', { times: 1 }),
  )
  expect(statements).toEqual([expect.stringContaining('for update')])
  expect(found).toEqual({ label: 'Lamp', status: 'shiny' })
})

test('a deleted document reads its row once', async () => {
  const { name } = await gadget()
  const { statements } = await readsDuring(() => t.documents.delete(owner, 'Gadget', name))
  expect(statements).toEqual([expect.stringContaining('for update')])
})

test('changes by a hook through the store are in the response, without another read', async () => {
  const { name } = await gadget()
  const { found, statements } = await readsDuring(() => t.documents.save(owner, 'Gadget', name, { size: 7 }))
  expect(statements).toHaveLength(1)
  expect(found).toMatchObject({ size: 8 })
})

test('a row changed by a statement outside of the store is read again', async () => {
  const one = await gadget()
  expect(await t.documents.save(owner, 'Gadget', one.name, { size: 9 })).toMatchObject({ size: 10 })
  expect(await t.documents.runAction(owner, 'Gadget', one.name, 'polish', { times: 2 })).toEqual({
    label: 'Dull',
    status: 'shiny',
  })
})

test('changes in a handler’s own copy are neither stored nor treated as stored', async () => {
  const { name } = await gadget()
  await t.documents.runAction(owner, 'Gadget', name, 'polish', { times: 3 })
  expect(await t.documents.save(owner, 'Gadget', name, { label: 'Not stored' })).toMatchObject({ label: 'Not stored' })
  expect(await t.documents.get(owner, 'Gadget', name)).toMatchObject({ label: 'Not stored' })
})

test('our own code lists more than a request can name', async () => {
  const names = Array.from({ length: 2_000 }, (_, at) => `none${at}`)
  const listed = t.documents.transaction(owner, (tx) => tx.list(GadgetDoctype, [['name', 'in', names]]))
  await expect(listed).resolves.toEqual([])
  await expect(t.documents.list(owner, 'Gadget', { filters: [['name', 'in', names]] })).rejects.toMatchObject({
    ...{ code: 'invalid', message: 'The filter on name can list 500 values at the most.' },
  })
})
