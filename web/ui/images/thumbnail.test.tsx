import { createElement } from 'react'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, expect, test } from 'vitest'
import { Thumbnail } from './thumbnail.tsx'

const place = document.createElement('div')
document.body.append(place)
let root = createRoot(place)
Reflect.set(globalThis, 'IS_REACT_ACT_ENVIRONMENT', true)

async function draw(src: string | null): Promise<void> {
  await act(async () => root.render(createElement(Thumbnail, { src, name: 'éclair', size: 'sm' })))
}

const image = () => place.querySelector('img')

afterEach(async () => {
  await act(async () => root.unmount())
  root = createRoot(place)
})

test('a picture beside a name: no text of its own, of fixed size, loaded when it comes near', async () => {
  await draw('/picture?v=1')
  expect(image()?.getAttribute('alt')).toBe('')
  expect(image()?.getAttribute('loading')).toBe('lazy')
  expect(image()?.getAttribute('width')).toBe('44')
  expect(image()?.getAttribute('height')).toBe('28')
  expect(place.textContent).toBe('')
})

test('without a picture, and where it does not load, the letter stands; a new address is tried', async () => {
  await draw(null)
  expect(image()).toBeNull()
  expect(place.firstElementChild?.getAttribute('data-letter')).toBe('É')
  await draw('/picture?v=1')
  await act(async () => void image()?.dispatchEvent(new Event('error')))
  expect(image()).toBeNull()
  await draw('/picture?v=2')
  expect(image()?.getAttribute('src')).toBe('/picture?v=2')
})
