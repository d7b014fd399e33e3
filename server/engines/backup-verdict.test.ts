import { expect, test } from 'vitest'
import { comparePages, type Found } from './backup-verdict.ts'
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
