import { expect, test } from 'vitest'
import { dataTimings, isSlowConnection } from './data-timings.ts'

test('intervals are longer on slow connections', () => {
  expect(dataTimings(false)).toEqual({ errorRetry: 5000, dedupe: 2000, focusThrottle: 5000, loadingTimeout: 3000 })
  expect(dataTimings(true)).toMatchObject({ errorRetry: 10_000, loadingTimeout: 5000, dedupe: 2000 })
})

test.each([
  [{}, false],
  [{ connection: { effectiveType: '4g' } }, false],
  [{ connection: { effectiveType: '3g', saveData: false } }, false],
  [{ connection: { effectiveType: '2g' } }, true],
  [{ connection: { effectiveType: 'slow-2g' } }, true],
  [{ connection: { effectiveType: '4g', saveData: true } }, true],
])('%j is slow: %s', (browser, slow) => expect(isSlowConnection(browser)).toBe(slow))
