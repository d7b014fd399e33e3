import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DocumentEvent, ListOptions, Tx } from '#server/contracts/transaction.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { GadgetDoctype } from '#tests/support/gadget.ts'

let t: TestDocuments
const hooks: string[] = []
const owner = sessionOf('owner@acme.example', 'acme')

beforeAll(async () => {
  t = await createTestDocuments({
    extra: [GadgetDoctype],
    controllers: [
      {
        doctype: 'Gadget',
        actions: { polish: async () => ({}) },
        async validate(doc) {
          hooks.push(`validate ${doc.name}`)
        },
        async guard(doc) {
          hooks.push(`guard ${doc.name}`)
        },
        async before_delete(doc) {
          hooks.push(`delete ${doc.name}`)
        },
      },
    ],
  })
  await t.organization('acme')
  await t.organization('initech')
})
afterAll(() => t?.close())

const gadget = (values: object = {}, session = owner) =>
  t.documents.insert(session, 'Gadget', { label: 'Lamp', ...values })
const stored = (name: string) => t.documents.transaction(t.system, (tx) => tx.get(GadgetDoctype, name))

/** The events about gadgets that the work sends. */
async function eventsDuring(work: () => Promise<unknown>): Promise<DocumentEvent[]> {
  const events: DocumentEvent[] = []
  const off = t.documents.onEvent((event) => {
    if (event.doctype === 'Gadget') events.push(event)
  })
  await work()
  off()
  return events
}

test('columns are written without an edit: same time of change, no hook, no event', async () => {
  const { name, modified, modified_by } = await gadget()
  hooks.length = 0
  const events = await eventsDuring(() =>
    t.documents.transaction(t.system, (tx) => tx.updateColumns(GadgetDoctype, name, { size: 4, extra: { a: 1 } })),
  )
  expect(await stored(name)).toMatchObject({ size: 4, extra: { a: 1 }, label: 'Lamp', modified, modified_by })
  expect([hooks, events]).toEqual([[], []])
})

test('a row whose columns were written is read as it is stored now', async () => {
  const { name } = await gadget()
  const found = await t.documents.transaction(t.system, async (tx) => {
    await tx.get(GadgetDoctype, name, { lock: true })
    await tx.updateColumns(GadgetDoctype, name, { size: 5 })
    return tx.get(GadgetDoctype, name)
  })
  expect(found).toMatchObject({ size: 5 })
})

test('columns of a deleted document are not written', async () => {
  await t.documents.transaction(t.system, (tx) => tx.updateColumns(GadgetDoctype, 'nobody', { size: 4 }))
})

test('wrong values, secrets and unknown fields are rejected', async () => {
  const { name } = await gadget()
  const write = (values: Record<string, unknown>) =>
    t.documents.transaction(t.system, (tx) => tx.updateColumns('Gadget', name, values))
  await expect(write({ label: 'x'.repeat(21) })).rejects.toMatchObject({ code: 'invalid' })
  await expect(write({ token: 'open' })).rejects.toThrow('Gadget.token')
  await expect(write({ owner: 'other@acme.example' })).rejects.toThrow('Gadget.owner')
  expect(await stored(name)).toMatchObject({ label: 'Lamp', token: null, owner: owner.user })
})

test('updates all matching documents in one statement, each with a new modified time and an event', async () => {
  const [one, two, other] = [await gadget({ size: 1 }), await gadget({ size: 1 }), await gadget({ size: 2 })]
  hooks.length = 0
  const events = await eventsDuring(() =>
    t.documents.transaction(t.system, (tx) => tx.updateWhere(GadgetDoctype, [['size', '=', 1]], { color: 'green' })),
  )
  const [first, second] = [await stored(one.name), await stored(two.name)]
  expect([first?.color, second?.color]).toEqual(['green', 'green'])
  expect(first?.modified).not.toBe(one.modified)
  expect(first?.modified_by).toBe(t.system.user)
  expect(await stored(other.name)).toMatchObject({ color: 'red', modified: other.modified })
  expect(events.map(({ kind, name, organization, modified }) => ({ kind, name, organization, modified }))).toEqual(
    expect.arrayContaining([
      { kind: 'update', name: one.name, organization: 'acme', modified: first?.modified },
      { kind: 'update', name: two.name, organization: 'acme', modified: second?.modified },
    ]),
  )
  expect([events.length, hooks]).toEqual([2, []])
})

test('deletes all matching documents in one statement, without hooks', async () => {
  const [deleted, kept] = [await gadget({ label: 'Old' }), await gadget()]
  hooks.length = 0
  await t.documents.transaction(t.system, async (tx) => {
    await tx.get(GadgetDoctype, deleted.name, { lock: true })
    await tx.deleteWhere(GadgetDoctype, [['label', '=', 'Old']])
    expect(await tx.get(GadgetDoctype, deleted.name)).toBeNull()
  })
  expect(await stored(deleted.name)).toBeNull()
  expect(await stored(kept.name)).not.toBeNull()
  expect(hooks).toEqual([])
})

test('documents are counted by the value of a field, unset ones not', async () => {
  const initech = sessionOf('owner@initech.example', 'initech')
  for (const size of [7, 7, 8, null]) await gadget({ size, label: 'Counted' }, initech)
  await gadget({ size: 7, label: 'Else' }, initech)
  const counts = await t.documents.transaction(t.system, (tx) =>
    tx.countBy(GadgetDoctype, 'size', [
      ['organization', '=', 'initech'],
      ['label', '=', 'Counted'],
    ]),
  )
  expect(counts).toEqual(
    new Map([
      ['7', 2],
      ['8', 1],
    ]),
  )
})

test('a list of fields reads only these, by page, with alternatives, and is counted alike', async () => {
  const made = []
  for (const [label, size] of [
    ['Vase', 1],
    ['Bowl', 2],
    ['Cup', 3],
    ['Plate', 3],
  ] as const)
    made.push(await gadget({ label, size, active: 1, extra: { a: size } }))
  const read = (options: ListOptions) =>
    t.documents.transaction(t.system, async (tx) => ({
      rows: await tx.listFields(GadgetDoctype, ['label', 'extra'], [['active', '=', 1]], options),
      count: await tx.count(GadgetDoctype, [['active', '=', 1]], options),
    }))
  expect(await read({ order_by: 'size desc, label desc', limit: 2, limit_start: 1 })).toEqual({
    rows: [
      { label: 'Cup', extra: { a: 3 } },
      { label: 'Bowl', extra: { a: 2 } },
    ],
    count: made.length,
  })
  const or_filters = [
    ['label', 'like', '%as%'],
    ['size', '=', 2],
  ] as const
  expect(await read({ or_filters })).toEqual({
    rows: [
      { label: 'Vase', extra: { a: 1 } },
      { label: 'Bowl', extra: { a: 2 } },
    ],
    count: 2,
  })
})

test('secrets, Table fields and unknown fields are not in a list of fields', async () => {
  const expectRejected = (work: (tx: Tx) => Promise<unknown>) =>
    expect(t.documents.transaction(t.system, work)).rejects.toThrow('Field not permitted in query')
  await expectRejected((tx) => tx.listFields(GadgetDoctype, ['token'], []))
  await expectRejected((tx) => tx.listFields(OrganizationDoctype, ['members'], []))
  await expectRejected((tx) => tx.listFields(GadgetDoctype, ['nothing' as 'label'], []))
})
