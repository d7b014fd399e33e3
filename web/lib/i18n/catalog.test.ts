import { expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'

const t = createCatalog({ last: 'Last: {label}, {when}' })

test('a right-to-left value does not change the direction of the surrounding text', () => {
  expect(t('last', { label: 'محمد', when: '1 minute ago' })).toBe('Last: \u2068محمد\u2069, 1 minute ago')
  expect(t('last', { label: 'blog', when: 'today' })).toBe('Last: blog, today')
})
