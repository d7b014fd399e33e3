import { fireEvent, render } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Thumbnail } from './thumbnail.tsx'

const thumbnail = (src: string | null) => <Thumbnail src={src} name="éclair" size="sm" />

test('a picture beside a name: no text of its own, of fixed size, loaded when it comes near', () => {
  const { container } = render(thumbnail('/picture?v=1'))
  const image = container.querySelector('img')
  expect(image?.getAttribute('alt')).toBe('')
  expect(image?.getAttribute('loading')).toBe('lazy')
  expect(image?.getAttribute('width')).toBe('44')
  expect(image?.getAttribute('height')).toBe('28')
  expect(container.textContent).toBe('')
})

test('without a picture, and where it does not load, the letter stands; a new address is tried', () => {
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
