import { fireEvent } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { keepTyped, takeEarlySearch, takeTyped, watchEarlySearch } from './typed-ahead.ts'

afterEach(() => {
  takeEarlySearch()
  takeTyped()
  vi.useRealTimers()
  document.body.replaceChildren()
})

const press = (...keys: string[]) =>
  keys.map((key) => fireEvent.keyDown(document.activeElement ?? document.body, { key }))

test('what is typed is kept in order and reaches nothing else; then keys go on as usual', () => {
  const others = vi.fn<() => void>()
  document.addEventListener('keydown', others)
  keepTyped(() => undefined)
  expect(press('b', 'l', 'x', 'Backspace', 'o', ' ', 'g')).not.toContain(true)
  expect(others).not.toHaveBeenCalled()
  expect(takeTyped()).toEqual({ text: 'blo g', enter: false })
  expect(press('x')).toEqual([true])
  expect(others).toHaveBeenCalledOnce()
  expect(takeTyped()).toEqual({ text: '', enter: false })
  document.removeEventListener('keydown', others)
})

test('Enter is kept, Esc cancels, and modified keys are left alone', () => {
  const cancelled = vi.fn<() => void>()
  keepTyped(cancelled)
  press('a', 'Enter')
  expect(takeTyped()).toEqual({ text: 'a', enter: true })
  keepTyped(cancelled)
  expect(fireEvent.keyDown(document.body, { key: 'b', ctrlKey: true })).toBe(true)
  press('a', 'Escape')
  expect(cancelled).toHaveBeenCalledOnce()
  expect(press('x')).toEqual([true])
})

test('a search that does not open gives the keys back after ten seconds', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  keepTyped(() => undefined)
  press('a')
  vi.advanceTimersByTime(10_001)
  expect(press('b')).toEqual([true])
  expect(takeTyped().text).toBe('')
})

test('a search that is called before the shell is there opens with what follows', () => {
  watchEarlySearch()
  expect(press('a')).toEqual([true])
  press('/', 'a', '/', 'b')
  expect(takeEarlySearch()).toBe('navigation')
  expect(takeTyped().text).toBe('a/b')
  expect(takeEarlySearch()).toBeNull()
  expect(press('/')).toEqual([true])
})

test('a slash in a field is a slash', () => {
  const field = document.body.appendChild(document.createElement('input'))
  field.focus()
  watchEarlySearch()
  expect(press('/', 'a')).toEqual([true, true])
  expect(takeEarlySearch()).toBeNull()
})
