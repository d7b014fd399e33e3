import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { GadgetDoctype } from '#tests/support/gadget.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'

let t: TestDocuments
/** Bytes counted so far, by key. */
const spent = new Map<string, number>()
let most = Infinity
const owner = sessionOf('owner@acme.example', 'acme')
beforeAll(async () => {
  t = await createTestDocuments({
    extra: [GadgetDoctype],
    spendBytes: (key, bytes) => {
      const all = (spent.get(key) ?? 0) + bytes
      if (all > most) throw new AppError('rate_limited', msg`Too much.`, { retryAfterSeconds: 60 })
      spent.set(key, all)
      return () => void spent.set(key, (spent.get(key) ?? 0) - bytes)
    },
  })
  await t.organization('acme')
  await t.organization('globex')
})
afterAll(() => t?.close())
beforeEach(() => {
  spent.clear()
  most = Infinity
})

/** Bytes an operation costs, by key. */
async function cost(act: () => Promise<unknown>): Promise<Record<string, number>> {
  spent.clear()
  await act()
  return Object.fromEntries(spent)
}
const acme = 'organization acme'

const make = (session: Session, values: Record<string, unknown> = {}) =>
  t.documents.insert(session, 'Gadget', { label: 'x', ...values })
const text = (length: number) => ({ extra: { text: 'x'.repeat(length) } })

test('documents and their activity count for the organization', async () => {
  const small = await cost(() => make(owner))
  expect(Object.keys(small)).toEqual([acme])
  const large = await cost(() => make(owner, text(3000)))
  // Counted twice: in the document and in the log.
  expect(Number(large[acme]) - Number(small[acme])).toBeGreaterThanOrEqual(6000)
  const larger = await cost(() => make(owner, text(60_000)))
  // The log stores only size and hash.
  expect(larger[acme]).toBeGreaterThanOrEqual(60_000)
  expect(larger[acme]).toBeLessThan(64_000)
})

test('a change counts with what it changes', async () => {
  const { name } = await make(owner, text(50_000))
  expect((await cost(() => t.documents.save(owner, 'Gadget', name, { label: 'y' })))[acme]).toBeLessThan(3000)
  const large = await cost(() => t.documents.save(owner, 'Gadget', name, { extra: { text: 'y'.repeat(50_000) } }))
  expect(large[acme]).toBeGreaterThanOrEqual(50_000)
})

test('personal documents count for their user, and reading counts nothing', async () => {
  const { name } = await make(owner)
  const reading = await cost(async () => {
    await t.documents.list(owner, 'Gadget', {})
    await t.documents.get(owner, 'Gadget', name)
  })
  expect(reading).toEqual({})
  const own = await cost(() => t.documents.save(owner, 'User', owner.user, { bio: 'b'.repeat(900) }))
  expect(own).toEqual({ 'user owner@acme.example': expect.any(Number) })
})

test('refused writes are not stored', async () => {
  most = 5000
  await expect(make(owner, { label: 'refused', ...text(6000) })).rejects.toMatchObject({ code: 'rate_limited' })
  expect(await t.documents.list(owner, 'Gadget', { filters: { label: 'refused' } })).toEqual([])
  await make(owner, { label: 'fits' })
})

test('over the limit the database is given nothing to write', async () => {
  most = 0
  const sizeOf = async () => (await t.test.database.pool.query("select pg_relation_size('tab_gadget') as size")).rows
  const before = await sizeOf()
  const writes = Array.from({ length: 50 }, (_, at) => make(owner, { label: `large ${at}`, ...text(1500) }))
  for (const one of await Promise.allSettled(writes)) expect(one.status).toBe('rejected')
  expect(await sizeOf()).toEqual(before)
})

test('bytes written and rolled back count; a repeated attempt does not', async () => {
  const write = (tx: Tx) =>
    tx.insert('Gadget', { organization: 'acme', label: 'x', ...text(6000) }, { activity: false })
  const once = await cost(() => t.documents.transaction(owner, write))
  let tries = 0
  const repeated = await cost(() =>
    t.documents.transaction(owner, async (tx) => {
      await write(tx)
      tries += 1
      if (tries < 3) throw Object.assign(new Error('Try again.'), { code: '40001' })
    }),
  )
  expect([tries, repeated]).toEqual([3, once])
  const failed = await cost(() =>
    t.documents
      .transaction(owner, async (tx) => {
        await write(tx)
        throw new Error('It failed.')
      })
      .catch(() => undefined),
  )
  expect(failed).toEqual(once)
})

test('jobs, the schedule and our own work are not held up', async () => {
  most = 0
  for (const session of [
    sessionOf('owner@acme.example', 'acme', { via: 'job' }),
    { ...t.system, organization: 'acme' },
    sessionOf('owner@acme.example', 'acme', { kind: 'system' }),
  ])
    await t.documents.transaction(session, (tx) => tx.insert('Gadget', { organization: 'acme', label: 'ours' }))
  await expect(make(sessionOf('owner@acme.example', 'acme', { kind: 'token', via: 'api' }))).rejects.toThrow()
})
