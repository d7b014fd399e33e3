import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { omittedOf } from '#shared/omitted-value.ts'
import { truncateSide } from './activity-sides.ts'
import { canonicalJson } from '#shared/same-value.ts'

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('a side of an activity entry', () => {
  test('is kept as it is up to 4 KB', () => {
    const side = { title: 'x'.repeat(4000), n: 1, none: null, list: [1, { b: 2, a: 1 }] }
    expect(truncateSide(side)).toEqual(side)
  })

  test('keeps size and SHA-256 of the largest values, and the others', () => {
    const filters = { b: ['x'.repeat(9000)], a: 'ü' }
    const side = { title: 'View', filters, order_by: 'creation desc' }
    const json = `{"a":"ü","b":["${'x'.repeat(9000)}"]}`
    expect(truncateSide(side)).toEqual({
      title: 'View',
      filters: { omitted: { bytes: Buffer.byteLength(json), sha256: sha256(json) } },
      order_by: 'creation desc',
    })
    // Each fits alone but not both together: the larger one is omitted.
    const two = truncateSide({ small: 'x'.repeat(2000), large: 'y'.repeat(2500) })
    expect([two['small'], omittedOf(two['large'])]).toEqual([
      'x'.repeat(2000),
      { bytes: 2502, sha256: sha256(`"${'y'.repeat(2500)}"`) },
    ])
  })

  test('does not take over what only looks like an omitted value', () => {
    const forged = { omitted: { bytes: 5, sha256: 'a'.repeat(64) } }
    const json = canonicalJson(forged)
    expect(truncateSide({ filters: forged })).toEqual({
      filters: { omitted: { bytes: json.length, sha256: sha256(json) } },
    })
  })

  test('never exceeds 4 KB', () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.nat(100_000).map((length) => 'é'.repeat(length / 50)),
      fc.jsonValue({ maxDepth: 3 }),
    )
    const sides = fc
      .array(value, { maxLength: 70 })
      .map((values) => Object.fromEntries(values.map((one, at) => [`a_field_with_a_name_${at}`, one])))
    fc.assert(
      fc.property(sides, (side) => {
        const kept = truncateSide(side)
        expect(Object.keys(kept)).toEqual(Object.keys(side))
        expect(bytesOf(kept)).toBeLessThanOrEqual(4096)
        for (const [name, one] of Object.entries(kept)) {
          const known = omittedOf(one)
          if (known === null) expect(one).toEqual(side[name])
          else expect(known.bytes).toBe(Buffer.byteLength(canonicalJson(side[name])))
        }
      }),
      { numRuns: 200 },
    )
  })
})
