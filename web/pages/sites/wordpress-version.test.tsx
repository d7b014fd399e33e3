import { render } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { WordPressVersion, newerWordPress } from './wordpress-version.tsx'

afterEach(() => {
  delete window.easydash
})

test.each([
  ['6.9', '6.9.1', '6.9.1'],
  ['6.9.1', '6.9.1', null],
  ['6.10', '6.9.1', null],
  ['6.8-beta1', '6.9.1', null],
  ['6.9', null, null],
  [null, '6.9.1', null],
])('a site with %s beside %s', (version, newest, expected) => {
  expect(newerWordPress(version, newest)).toBe(expected)
})

test('an older version says so, with the reason and the way out', () => {
  window.easydash = { wordpress_version: '6.9.1' }
  const { container, rerender } = render(<WordPressVersion site={{ wordpress_version: '6.8', engine: 'local' }} />)
  expect(container.textContent).toContain('6.9.1 is out')
  expect(container.textContent).toContain('under Version of WordPress')
  rerender(<WordPressVersion site={{ wordpress_version: '6.9.1', engine: 'local' }} />)
  expect(container.textContent).toBe('6.9.1')
})

test('a version that came with the packages says that it is not the newest, though no newer one is known', () => {
  window.easydash = { wordpress_version: '6.5.5', wordpress_fallback: true }
  const { container, rerender } = render(<WordPressVersion site={{ wordpress_version: '6.5.5', engine: 'local' }} />)
  expect(container.textContent).toContain('wordpress.org could not be reached yet')
  rerender(<WordPressVersion site={{ wordpress_version: '6.9', engine: 'local' }} />)
  expect(container.textContent).toBe('6.9')
  // That of a server did not come with Easydash.
  rerender(<WordPressVersion site={{ wordpress_version: '6.5.5', engine: 'ee' }} />)
  expect(container.textContent).toBe('6.5.5')
})
