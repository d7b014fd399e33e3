import { act } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { SearchInput } from './search-input.tsx'

const page = testRender()

const wanted = vi.fn<(text: string) => void>()
beforeEach(() => {
  vi.useFakeTimers()
  wanted.mockClear()
})
afterEach(() => {
  vi.useRealTimers()
})

const draw = (text: string) =>
  act(() => page.root.render(<SearchInput className="" label="Search names" text={text} onChange={wanted} />))
const field = () => page.place.querySelector('input')
function type(text: string): void {
  act(() => {
    const input = field()
    if (!input) throw new Error('no field')
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text)
    input.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

it('searches once when typing rests', () => {
  draw('')
  type('ac')
  type('acme')
  expect(wanted).not.toHaveBeenCalled()
  act(() => void vi.runAllTimers())
  expect(wanted.mock.calls).toEqual([['acme']])
})

it('follows a text that changes elsewhere, and asks for nothing then', () => {
  draw('acme')
  expect(field()?.value).toBe('acme')
  draw('')
  act(() => void vi.runAllTimers())
  expect(field()?.value).toBe('')
  expect(wanted).not.toHaveBeenCalled()
})

it('drops what was being typed when the text changes elsewhere', () => {
  draw('acme')
  type('acme shop')
  draw('other')
  act(() => void vi.runAllTimers())
  expect(field()?.value).toBe('other')
  expect(wanted).not.toHaveBeenCalled()
})
