import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { GadgetDoctype } from '#tests/support/gadget.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { data, json, type Field } from '#shared/fields.ts'
import type { AnyDoc } from '#shared/doctype.ts'
import { parseArgs } from '../operations/run-action.ts'
import { coerce, validationError } from './values.ts'

/** A value larger than the field allows but otherwise valid. */
function tooMuch(field: Field): unknown {
  switch (field.fieldtype) {
    case 'JSON':
      return { text: 'x'.repeat(field.max_bytes ?? 0) }
    case 'Table':
      return Array.from({ length: 1001 }, () => ({}))
    case 'Check':
    case 'Int':
      return 2 ** 53
    case 'Float':
      return Number.MAX_VALUE * 2
    case 'Date':
    case 'Datetime':
      return `2026-01-01 00:00:00.${'0'.repeat(100)}`
    default:
      return 'x'.repeat((field.length ?? 140) + 1)
  }
}

const isRejected = (name: string, field: Field, value: unknown): boolean => {
  try {
    return validationError(name, field, coerce(name, field, value)) !== null
  } catch {
    return true
  }
}

describe('every field has an upper bound', () => {
  const fields = doctypes.flatMap((type) => [
    ...Object.entries(type.fields).map(([name, field]) => [`${type.name}.${name}`, field] as const),
    ...Object.entries(type.actions ?? {}).flatMap(([action, { args }]) =>
      Object.entries(args ?? {}).map(([name, field]) => [`${type.name}.${action} ${name}`, field] as const),
    ),
  ])

  test.each(fields)('%s', (name, field) => {
    expect(isRejected(name, field, tooMuch(field))).toBe(true)
    if (field.fieldtype === 'JSON') expect(field.max_bytes).toBeLessThanOrEqual(65_536)
  })
})

describe('JSON', () => {
  const field = json()
  const holding = (bytes: number) => 'x'.repeat(bytes - 2)

  test('is measured in bytes as it is written, not in characters or as it was sent', () => {
    expect(isRejected('f', field, JSON.stringify(holding(65_536)))).toBe(false)
    expect(isRejected('f', field, JSON.stringify(holding(65_537)))).toBe(true)
    expect(isRejected('f', field, ['x'.repeat(65_536)])).toBe(true)
    // Three bytes each; six characters if escaped, as some programs send them.
    const wide = '漢'.repeat(20_000)
    expect(isRejected('f', field, [wide])).toBe(false)
    expect(isRejected('f', field, `["${'\\u6f22'.repeat(20_000)}"]`)).toBe(false)
    expect(isRejected('f', field, ['漢'.repeat(22_000)])).toBe(true)
    expect(isRejected('f', field, `[${' '.repeat(100_000)}1]`)).toBe(false)
  })

  test('that is far too long is not read at all', () => {
    expect(() => coerce('f', field, `{broken${'x'.repeat(500_000)}`)).toThrow(/64 KB/)
    expect(() => coerce('f', field, '{broken')).toThrow(/valid JSON/)
  })

  test('has the limit its field says', () => {
    const small = json({ max_bytes: 16_384 })
    expect(isRejected('f', small, [holding(16_384 - 4)])).toBe(false)
    expect(isRejected('f', small, [holding(16_400)])).toBe(true)
    expect(() => parseArgs({ f: small }, { f: [holding(20_000)] })).toThrow(/16 KB/)
  })
})

describe('every way to write holds to it', () => {
  let t: TestDocuments
  const owner = sessionOf('owner@acme.example', 'acme')
  const huge = { n: 1, text: 'x'.repeat(70_000) } as unknown as Record<string, number>
  beforeAll(async () => {
    t = await createTestDocuments({ extra: [GadgetDoctype] })
    await t.organization('acme')
  })
  afterAll(() => t?.close())

  const tooLarge = { code: 'invalid', field: 'extra', message: expect.stringContaining('64 KB') as string }
  const make = (values: Record<string, unknown> = {}) =>
    t.documents.insert(owner, 'Gadget', { label: 'one', ...values }) as Promise<AnyDoc>

  test('insert, insertMany and save, as value and as text', async () => {
    for (const extra of [huge, JSON.stringify(huge)]) {
      await expect(make({ extra })).rejects.toMatchObject(tooLarge)
      const many = [{ doctype: 'Gadget', values: { label: 'x', extra } }]
      await expect(t.documents.insertMany(owner, many)).rejects.toMatchObject(tooLarge)
      const { name } = await make()
      await expect(t.documents.save(owner, 'Gadget', name, { extra })).rejects.toMatchObject(tooLarge)
    }
  })

  test('our own writes', async () => {
    const { name } = await make()
    const write = (extra: unknown) => t.documents.transaction(t.system, (tx) => tx.update('Gadget', name, { extra }))
    await expect(write(huge)).rejects.toMatchObject(tooLarge)
    await expect(
      t.documents.transaction(t.system, (tx) => tx.insert('Gadget', { organization: 'acme', label: 'x', extra: huge })),
    ).rejects.toMatchObject(tooLarge)
  })

  test('secrets', async () => {
    const long = { code: 'invalid', field: 'token', excType: 'CharacterLengthExceededError' }
    await expect(make({ token: 's'.repeat(10_001) })).rejects.toMatchObject(long)
    const { name } = await make({ token: 's'.repeat(10_000) })
    await expect(t.documents.save(owner, 'Gadget', name, { token: 's'.repeat(10_001) })).rejects.toMatchObject(long)
    await t.documents.save(owner, 'Gadget', name, { token: '*****', label: 'kept' })
  })

  test('saved filters have 16 KB', async () => {
    const view = (filters: unknown) =>
      t.documents.insert(owner, 'Saved View', { title: 'v', reference_doctype: 'Site', filters, any_filters: filters })
    const filters = (count: number) => Array.from({ length: count }, () => ['domain', 'like', 'x'.repeat(400)])
    await expect(view(filters(45))).rejects.toMatchObject({ code: 'invalid', field: 'filters' })
    await view(filters(30))
  })
})

test('words of a text are counted as people see them', () => {
  expect(isRejected('f', data({ length: 2 }), '🔑🔑')).toBe(false)
  expect(isRejected('f', data({ length: 2 }), '🔑🔑🔑')).toBe(true)
})
