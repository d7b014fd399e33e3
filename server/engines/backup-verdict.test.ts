import { expect, test } from 'vitest'
import { compareConfiguration, comparePages, type Found } from './backup-verdict.ts'
import { answeredPages, seenPage } from './seen-pages.ts'

/** What is wrong with a page that had one body when it was backed up, and has another. */
function defectsOf(before: string, now: string): readonly string[] {
  const found: Found = { defects: [], seen: [], unjudged: [] }
  const pages = answeredPages([seenPage('/', { status: 200, body: before })])
  comparePages(found, { type: 'wp', pages }, [seenPage('/', { status: 200, body: now })])
  return found.defects.map(({ defect }) => defect)
}

test('the end of a page is compared with the one that it had', () => {
  const [whole, cut] = ['<html><title>Shop</title><p>All</p></html>', '<html><title>Shop</title><p>All']
  expect(defectsOf(whole, whole)).toEqual([])
  expect(defectsOf(whole, cut)).toEqual(['A page breaks off before its end'])
  // Themes that leave the end out do so in the backup, too.
  expect(defectsOf(cut, cut)).toEqual([])
  expect(defectsOf(cut, whole)).toEqual([])
})

test('the prefix, the address and the secret keys are those of the new site', () => {
  const defectsWith = (now: Partial<Parameters<typeof compareConfiguration>[2]>) => {
    const found: Found = { defects: [], seen: [], unjudged: [] }
    const here = { prefix: 'q7_', home: 'http://here.localhost:4860', keys: 8, url: 'http://here.localhost:4860' }
    compareConfiguration(found, { table_prefix: 'q7_', url: 'https://shop.example' }, { ...here, ...now })
    return [found.seen.map(({ what }) => what).join(), ...found.defects.map(({ evidence }) => evidence)]
  }
  expect(defectsWith({})).toEqual(['prefix,address,keys'])
  expect(defectsWith({ prefix: 'wp_' })).toEqual(['prefix,address,keys', 'wp_ instead of q7_'])
  expect(defectsWith({ home: 'https://shop.example' })).toEqual(['prefix,address,keys', 'shop.example'])
  // A site that was served elsewhere had that address when it was backed up, too.
  expect(defectsWith({ home: 'https://other.example' })).toEqual(['prefix,keys'])
  expect(defectsWith({ keys: 7 })).toEqual(['prefix,address,keys', '7 of 8'])
})
