import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ExternalCall, type ActionResult } from '#server/contracts/controller.ts'
import type { Session } from '#server/contracts/session.ts'
import { GadgetDoctype } from '#tests/support/gadget.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'

let t: TestDocuments
let owner: Session
let member: Session
let gadget: string
/** What the action's external part does in the current test. */
let external: () => Promise<ActionResult>
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
        actions: { polish: async () => new ExternalCall(() => external(), { after: { shine: 'bright' } }) },
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
