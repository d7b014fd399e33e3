import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '../../tests/support/documents.ts'
import { GadgetType } from '../../tests/support/gadget.ts'
import { AppError } from '#shared/errors.ts'
import { say } from '#shared/sentence.ts'
import type { Session } from './types.ts'

let t: TestDocuments
let spent: [key: string, bytes: number][] = []
let most = Infinity
const owner = sessionOf('owner@acme.example', 'acme')
beforeAll(async () => {
  t = await createTestDocuments({
    extra: [GadgetType],
    spendBytes: (key, bytes) => {
      if (bytes > most) throw new AppError('rate_limited', say`Too much.`, { retryAfterSeconds: 60 })
      spent.push([key, bytes])
    },
  })
  await t.organization('acme')
  await t.organization('globex')
}, 60_000)
afterAll(() => t?.close())
beforeEach(() => {
  spent = []
  most = Infinity
})

const make = (session: Session, values: Record<string, unknown> = {}) =>
  t.documents.insert(session, 'Gadget', { label: 'x', ...values })
const text = (length: number) => ({ extra: { text: 'x'.repeat(length) } })

test('documents and their activity count for the organization', async () => {
  await make(owner)
  const [small] = spent
  expect(small?.[0]).toBe('organization acme')
  await make(owner, text(3000))
  // Once in the document, once in the log.
  const [, large] = spent
  expect((large?.[1] ?? 0) - (small?.[1] ?? 0)).toBeGreaterThanOrEqual(6000)
  await make(owner, text(60_000))
  // The log keeps only its size and hash.
  expect(spent[2]?.[1]).toBeGreaterThanOrEqual(60_000)
  expect(spent[2]?.[1]).toBeLessThan(64_000)
})

test('a change counts with what it changes', async () => {
  const { name } = await make(owner, text(50_000))
  spent = []
  await t.documents.save(owner, 'Gadget', name, { label: 'y' })
  await t.documents.save(owner, 'Gadget', name, { extra: { text: 'y'.repeat(50_000) } })
  expect(spent[0]?.[1]).toBeLessThan(3000)
  expect(spent[1]?.[1]).toBeGreaterThanOrEqual(50_000)
})

test('what people keep for themselves counts for them, and reading counts nothing', async () => {
  const { name } = await make(owner)
  spent = []
  await t.documents.list(owner, 'Gadget', {})
  await t.documents.get(owner, 'Gadget', name)
  expect(spent).toEqual([])
  await t.documents.save(owner, 'User', owner.user, { bio: 'b'.repeat(900) })
  expect(spent).toEqual([['user owner@acme.example', expect.any(Number)]])
})

test('what is refused is not written', async () => {
  most = 5000
  await expect(make(owner, { label: 'refused', ...text(6000) })).rejects.toMatchObject({ code: 'rate_limited' })
  expect(await t.documents.list(owner, 'Gadget', { filters: { label: 'refused' } })).toEqual([])
  await make(owner, { label: 'fits' })
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
