import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ExternalCall, type ActionResult, type Finish } from '#server/contracts/controller.ts'
import type { Session } from '#server/contracts/session.ts'
import { GadgetDoctype } from '#tests/support/gadget.ts'
import { openCallsSchedule } from './open-calls.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'

let t: TestDocuments
let owner: Session
let member: Session
let gadget: string
/** What the action's external part does in the current test. */
let external: () => Promise<ActionResult | Finish>
let deadlineMs: number | undefined
const polish = (session: Session) => t.documents.runAction(session, 'Gadget', gadget, 'polish', { times: 1 })
const entries = async () =>
  t.documents.transaction(t.system, (tx) =>
    tx.list('Activity', [
      ['action', '=', 'Gadget.polish'],
      ['reference_name', '=', gadget],
    ]),
  )

beforeAll(async () => {
  t = await createTestDocuments({
    extra: [GadgetDoctype],
    controllers: [
      {
        doctype: 'Gadget',
        actions: { polish: async () => new ExternalCall(() => external(), { after: { shine: 'bright' } }, deadlineMs) },
      },
    ],
  })
  await t.organization('acme')
  owner = sessionOf('owner@acme.example', 'acme')
  member = await t.member('acme', 'member@acme.example', 'Organization Manager')
})
afterAll(() => t?.close())
beforeEach(async () => {
  gadget = (await t.documents.insert(owner, 'Gadget', { label: 'Lamp' })).name
})

test('the external part runs without a lock on the document, and its result is the response', async () => {
  external = async () => {
    await t.documents.save(owner, 'Gadget', gadget, { size: 5 })
    return { polished: true }
  }
  expect(await polish(owner)).toEqual({ polished: true })
  expect(await t.documents.get(owner, 'Gadget', gadget)).toMatchObject({ size: 5 })
})

test('the log says that it was done, once it is', async () => {
  external = async () => {
    expect(await entries(), 'nothing is logged before it has ended').toEqual([])
    return null
  }
  await polish(owner)
  expect(await entries()).toMatchObject([{ actor: owner.user, result: 'Done', after: { shine: 'bright' } }])
})

test('a call whose process was stopped meanwhile is in the log as one that may have happened', async () => {
  const { run } = openCallsSchedule((session, work) => t.documents.transaction(session, work), t.system)
  external = async () => {
    await run()
    expect(await entries(), 'it is not late yet').toEqual([])
    // What a process leaves that is stopped now, long ago.
    await sql`insert into easydash_open_call select 'left', until - interval '1 day', entry from easydash_open_call`.execute(
      t.test.database.db,
    )
    return null
  }
  await polish(owner)
  await run()
  await run()
  const found = await entries()
  expect(found).toHaveLength(2)
  expect(found).toContainEqual(expect.objectContaining({ actor: owner.user, result: 'Done', detail: null }))
  expect(found).toContainEqual(
    expect.objectContaining({
      actor: owner.user,
      result: 'Failed',
      detail: 'until Easydash was stopped (it may have happened: look before you repeat it)',
    }),
  )
})

test('a failure reaches the caller and the log', async () => {
  external = async () => {
    throw new Error('no answer')
  }
  await expect(polish(owner)).rejects.toThrow('no answer')
  expect(await entries()).toMatchObject([{ actor: owner.user, result: 'Failed' }])
})

test('who is not allowed never gets to the external part', async () => {
  let called = false
  external = async () => {
    called = true
    return null
  }
  await expect(polish(member)).rejects.toMatchObject({ code: 'forbidden' })
  expect(called).toBe(false)
})

test('its end is written once the rights and the state were checked again', async () => {
  external =
    async () =>
    async (doc, { tx }) => {
      await tx.update(GadgetDoctype, doc.name, { size: 7 })
      return { label: doc['label'] }
    }
  expect(await polish(owner)).toEqual({ label: 'Lamp' })
  expect(await t.documents.get(owner, 'Gadget', gadget)).toMatchObject({ size: 7 })
  expect(await entries()).toMatchObject([{ result: 'Done' }])
  external = async () => {
    await t.documents.transaction(t.system, (tx) => tx.update(GadgetDoctype, gadget, { status: 'old' }))
    return async () => ({ told: true })
  }
  await expect(polish(owner)).rejects.toMatchObject({ code: 'invalid', field: 'status' })
  expect((await entries()).map(({ result }) => result)).toEqual(['Done', 'Failed'])
})

test('a conflict of its end repeats the end, never the call', async () => {
  let [calls, ends] = [0, 0]
  external = async () => {
    calls += 1
    return async () => {
      ends += 1
      if (ends === 1) throw Object.assign(new Error('could not serialize access'), { code: '40001' })
      return { ends }
    }
  }
  expect(await polish(owner)).toEqual({ ends: 2 })
  expect(calls).toBe(1)
  expect(await entries()).toMatchObject([{ result: 'Done' }])
})

test('what does not end by its deadline is given up, and said so', async () => {
  deadlineMs = 1
  external = () => new Promise(() => undefined)
  await expect(polish(owner)).rejects.toMatchObject({ code: 'unavailable' })
  deadlineMs = undefined
  expect(await entries()).toMatchObject([{ result: 'Failed' }])
})
