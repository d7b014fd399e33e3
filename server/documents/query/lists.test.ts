import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { GadgetDoctype } from '#tests/support/gadget.ts'

let t: TestDocuments
const admin = sessionOf('owner@acme.example', 'acme')

beforeAll(async () => {
  t = await createTestDocuments({ extra: [GadgetDoctype] })
  await t.organization('acme')
  await t.documents.insert(admin, 'Gadget', { label: 'First', size: 1 })
})
afterAll(() => t?.close())

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: { code?: string; excType?: string }) => error.excType ?? error.code ?? String(error),
  )

describe('lists', () => {
  test('null and "" are unset; negations match unset rows', async () => {
    const names = async (filters: unknown) =>
      (await t.documents.list(admin, 'Gadget', { fields: ['label'], filters, order_by: 'label asc', limit: 100 })).map(
        (row) => row.label,
      )
    await t.documents.insert(admin, 'Gadget', { label: 'Q-none' })
    await t.documents.insert(admin, 'Gadget', { label: 'Q-five', size: 5 })
    const only = ['label', 'like', 'Q-%']
    expect(await names([only, ['size', '!=', 5]])).toEqual(['Q-none'])
    expect(await names([only, ['size', 'not in', [5, 6]]])).toEqual(['Q-none'])
    expect(await names([only, ['size', 'is', 'not set']])).toEqual(['Q-none'])
    expect(await names([only, ['size', 'in', '5,6']])).toEqual(['Q-five'])
    expect(await names([only, ['size', 'between', [4, 6]]])).toEqual(['Q-five'])
    expect(await names([only, ['Gadget', 'size', '<>', 5, false]])).toEqual(['Q-none'])
    expect(await names([only, ['label', 'like', '%\\']])).toEqual([])
  })

  test('aggregates, groups and dotted links', async () => {
    const rows = await t.documents.list(admin, 'Gadget', {
      fields: ['color', 'count(name) as n', { SUM: 'size', as: 'total' }],
      group_by: 'color',
      order_by: 'n desc',
    })
    expect(rows.map((row) => row.color)).toContain('red')
    expect(
      await t.documents.list(admin, 'Gadget', { fields: ['label', 'organization.title as org'], limit: 1 }),
    ).toEqual([{ label: expect.any(String), org: 'acme' }])
    expect(await code(t.documents.list(admin, 'Gadget', { fields: ['label', 'count(name)'] }))).toBe('DataError')
  })

  test("a role in one organization opens nothing of the caller's others", async () => {
    await t.organization('globex')
    await t.member('acme', 'both@example.com', 'Organization User')
    await t.member('globex', 'both@example.com', 'Organization Admin')
    const bucket = { kind: 'Bucket', label: 'Bucket', is_default: 1, bucket_name: 'client-of-acme' }
    await t.documents.insert(admin, 'Connection', bucket)
    const root = sessionOf('both@example.com', 'globex', { platformAdmin: true })
    for (const session of [sessionOf('both@example.com', 'globex'), root]) {
      const rows = await t.documents.list(session, 'Organization', { fields: ['name', 'bucket_name'], limit: 50 })
      expect(JSON.stringify(rows)).not.toContain('client-of-acme')
      const found = await t.documents
        .list(session, 'Organization', { filters: [['bucket_name', 'like', 'client-of%']] })
        .catch((error: { excType?: string }) => error.excType)
      expect([[], 'DataError']).toContainEqual(found)
      const hits = await t.documents
        .search(session, 'Organization', { txt: 'client-of', searchfield: 'bucket_name' })
        .catch((error: { excType?: string }) => error.excType)
      expect([[], 'DataError']).toContainEqual(hits)
      const metas = await t.documents.list(session, 'User Meta', { fields: ['current_organization.bucket_name'] })
      expect(JSON.stringify(metas)).not.toContain('client-of-acme')
    }
    const names = async (session: typeof root) =>
      (await t.documents.list(session, 'Organization', { limit: 50 })).map((row) => row.name)
    expect(await names(sessionOf('both@example.com', 'globex'))).toEqual(['globex'])
    expect(await names(root)).toEqual(expect.arrayContaining(['acme', 'globex']))
  })

  test('hostile expressions are refused', async () => {
    for (const text of [
      'name; drop table x',
      '(select 1)',
      'version()',
      'name--',
      "name'",
      'tabUser.name',
      '__proto__',
      'constructor',
      'sleep(1)',
      'name,label',
      '1=1',
      '`x',
      'organization.hcloud_token',
      'organization._owner.name',
    ]) {
      // Secrets are omitted, like every field the caller can't read.
      const left = text === 'organization.hcloud_token' ? 'ok' : 'DataError'
      expect(await code(t.documents.list(admin, 'Gadget', { fields: [text] })), text).toBe(left)
      expect(await code(t.documents.list(admin, 'Gadget', { filters: [[text, '=', '1']] })), text).toBe('DataError')
      if (text !== 'name,label')
        expect(await code(t.documents.list(admin, 'Gadget', { order_by: `${text} asc` })), text).toBe('DataError')
    }
    expect(await code(t.documents.list(admin, 'Gadget', { limit: -1 }))).toBe('ValidationError')
    expect(await code(t.documents.list(admin, 'Gadget', { filters: '{bad' }))).toBe('ValidationError')
    expect(await code(t.documents.list(admin, 'Gadget', { filters: [['name', 'regexp', 'x']] }))).toBe(
      'ValidationError',
    )
  })
})
