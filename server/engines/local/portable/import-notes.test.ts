import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { importDefects } from '#shared/responses/site-imports.ts'
import { defect, named } from './import-notes.ts'

const anyDefect = fc
  .tuple(
    fc.constantFrom(...importDefects),
    fc.string({ unit: 'grapheme', maxLength: 400 }),
    fc.string({ maxLength: 400 }),
  )
  .map((parts) => defect(...parts))

test('defects that are named fit into a field of the site, the others are counted', () => {
  fc.assert(
    fc.property(fc.array(anyDefect, { maxLength: 700, size: 'max' }), (all) => {
      const { defects, more } = named(all)
      expect(defects.length + more).toBe(all.length)
      expect(defects).toEqual(all.slice(0, defects.length))
      expect(defects.length).toBeLessThanOrEqual(300)
      expect(Buffer.byteLength(JSON.stringify(defects))).toBeLessThan(50_000)
    }),
    { numRuns: 20 },
  )
  const short = Array.from({ length: 301 }, (_, at) => defect('media', `${at}.jpg`))
  expect(named(short)).toMatchObject({ more: 1 })
})
