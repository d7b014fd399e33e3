import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { FavoriteButton } from './favorite.tsx'

test.each([
  ['a favorite has a filled, yellow star', 1, 'Remove', 'currentColor', true],
  ['anything else a dim outline', 0, 'Add', 'none', false],
])('%s', (_what, value, verb, fill, isBright) => {
  renderAs(owner, <FavoriteButton type={SiteDoctype} name="s1" title="blog" value={value} />)
  const star = screen.getByRole('button', { name: new RegExp(`^${verb}`), pressed: value === 1 })
  expect(star.querySelector('svg')?.getAttribute('fill')).toBe(fill)
  expect(star.classList.contains('text-m-warn')).toBe(isBright)
  // The color of borders of fields, fainter than text.
  expect(star.classList.contains('text-input')).toBe(!isBright)
})
