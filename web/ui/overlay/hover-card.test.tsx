import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HoverCard } from './hover-card.tsx'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const setup = () =>
  render(
    <HoverCard content={() => 'What it is'}>
      <a href="#there">There</a>
    </HoverCard>,
  )
const pass = (ms: number): void =>
  act(() => {
    vi.advanceTimersByTime(ms)
  })
const card = () => screen.queryByRole('tooltip')
const link = () => screen.getByRole('link', { name: 'There' })

/** React derives pointerleave from `pointerout`. */
function point(
  type: 'pointerOver' | 'pointerMove' | 'pointerOut' | 'pointerDown',
  at: Element | null,
  by = 'mouse',
): void {
  if (at) fireEvent[type](at, { pointerType: by, relatedTarget: document.body })
}

/** Moves the pointer to an element. */
function come(at: Element | null, by?: string): void {
  point('pointerOver', at, by)
  point('pointerMove', at, by)
}

test('opens after 700 ms of hovering and closes 300 ms after the pointer leaves', () => {
  setup()
  come(link())
  pass(699)
  expect(card()).toBeNull()
  pass(1)
  expect(card()?.textContent).toBe('What it is')
  expect(link().getAttribute('aria-describedby')).toBe(card()?.id)

  point('pointerOut', link())
  pass(299)
  expect(card()).not.toBeNull()
  pass(1)
  expect(card()).toBeNull()
})

test('stays open while the pointer is on the card', () => {
  setup()
  come(link())
  pass(700)
  point('pointerOut', link())
  pass(200)
  come(card())
  pass(1000)
  expect(card()).not.toBeNull()
})

test('does not open for a passing pointer, an idle pointer or touch', () => {
  setup()
  come(link())
  pass(400)
  point('pointerOut', link())
  pass(1000)
  expect(card()).toBeNull()
  point('pointerOver', link())
  pass(1000)
  expect(card()).toBeNull()
  point('pointerOut', link())
  come(link(), 'touch')
  pass(1000)
  expect(card()).toBeNull()
})

test('opens on keyboard focus; Escape closes only the card', () => {
  setup()
  const behind = vi.fn()
  addEventListener('keydown', behind)
  const one = link()
  // This DOM doesn't distinguish keyboard focus (:focus-visible).
  vi.spyOn(one, 'matches').mockReturnValue(true)
  act(() => one.focus())
  pass(700)
  expect(card()).not.toBeNull()
  fireEvent.keyDown(one, { key: 'Escape' })
  expect(card()).toBeNull()
  expect(behind).not.toHaveBeenCalled()
  removeEventListener('keydown', behind)
})

test('a click closes it until the pointer enters again', () => {
  setup()
  come(link())
  pass(700)
  // The library starts listening for presses a moment after it opened.
  pass(1)
  point('pointerDown', link())
  expect(card()).toBeNull()
  point('pointerMove', link())
  pass(1000)
  expect(card()).toBeNull()
})
