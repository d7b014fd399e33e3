import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SearchInput } from './search-input.tsx'

const wanted = vi.fn<(text: string) => void>()
beforeEach(() => {
  vi.useFakeTimers()
  wanted.mockClear()
})
afterEach(() => {
  vi.useRealTimers()
})

const input = (text: string) => <SearchInput className="" label="Search names" text={text} onChange={wanted} />
const field = () => screen.getByLabelText<HTMLInputElement>('Search names')
const type = (text: string) => fireEvent.change(field(), { target: { value: text } })

it('searches once after typing stops', () => {
  render(input(''))
  type('ac')
  type('acme')
  expect(wanted).not.toHaveBeenCalled()
  act(() => void vi.runAllTimers())
  expect(wanted.mock.calls).toEqual([['acme']])
})

it('follows changes of its value from elsewhere without searching', () => {
  const { rerender } = render(input('acme'))
  expect(field().value).toBe('acme')
  rerender(input(''))
  act(() => void vi.runAllTimers())
  expect(field().value).toBe('')
  expect(wanted).not.toHaveBeenCalled()
})

it('discards unfinished typing if its value changes elsewhere', () => {
  const { rerender } = render(input('acme'))
  type('acme shop')
  rerender(input('other'))
  act(() => void vi.runAllTimers())
  expect(field().value).toBe('other')
  expect(wanted).not.toHaveBeenCalled()
})
