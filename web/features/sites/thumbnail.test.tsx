import { fireEvent, render } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Thumbnail } from './thumbnail.tsx'

const thumbnail = (src: string | null) => <Thumbnail src={src} name="éclair" size="sm" />

test('beside a name the thumbnail is decorative, has a fixed size and is loaded lazily', () => {
  const { container } = render(thumbnail('/picture?v=1'))
  const image = container.querySelector('img')
  expect(image?.getAttribute('alt')).toBe('')
  expect(image?.getAttribute('loading')).toBe('lazy')
  expect(image?.getAttribute('width')).toBe('44')
  expect(image?.getAttribute('height')).toBe('28')
  expect(container.textContent).toBe('')
})

test('without a thumbnail, or if it fails to load, the initial is shown; a new URL is tried', () => {
  const { container, rerender } = render(thumbnail(null))
  const image = () => container.querySelector('img')
  expect(image()).toBeNull()
  expect(container.firstElementChild?.getAttribute('data-letter')).toBe('É')
  rerender(thumbnail('/picture?v=1'))
  const broken = image()
  if (broken) fireEvent.error(broken)
  expect(image()).toBeNull()
  rerender(thumbnail('/picture?v=2'))
  expect(image()?.getAttribute('src')).toBe('/picture?v=2')
})
