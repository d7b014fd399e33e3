import { expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'

const t = createCatalog({
  last: 'Last: {label}, {when}',
  sites: '{count, plural, one {# site} other {# sites}}',
  running: '{count, number} running',
})

test('a right-to-left value does not change the direction of the surrounding text', () => {
  expect(t('last', { label: 'محمد', when: '1 minute ago' })).toBe('Last: \u2068محمد\u2069, 1 minute ago')
  expect(t('last', { label: 'blog', when: 'today' })).toBe('Last: blog, today')
})

test('a count that stopped at the cap is written as such, any other as it is', () => {
  expect([1, 1000, 1001, Infinity].map((count) => t('sites', { count }))).toEqual([
    '1 site',
    '1,000 sites',
    '1,001 sites',
    '1,000+ sites',
  ])
  expect(t('running', { count: Infinity })).toBe('1,000+ running')
})
