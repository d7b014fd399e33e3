import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Tooltip, TooltipProvider } from './tooltip.tsx'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  render(
    <TooltipProvider>
      {['First', 'Second'].map((name) => (
        <Tooltip key={name} content={`About ${name}`}>
          <button type="button">{name}</button>
        </Tooltip>
      ))}
    </TooltipProvider>,
  )
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number): void =>
  act(() => {
    vi.advanceTimersByTime(ms)
  })
const shown = (): string | null => screen.queryByRole('tooltip')?.textContent ?? null
const button = (name: string) => screen.getByRole('button', { name })
const mouse = { pointerType: 'mouse', relatedTarget: document.body }

const enter = (name: string): boolean => fireEvent.pointerMove(button(name), { ...mouse, clientY: 0 })
/** The pointer leaves the control, but not for the tooltip. */
function leave(name: string): void {
  fireEvent.pointerLeave(button(name), { ...mouse, clientY: 0 })
  fireEvent.pointerMove(document.body, { ...mouse, clientY: 500 })
}

test('opens after 700 ms, and the next one immediately if it follows within 300 ms', () => {
  enter('First')
  pass(699)
  expect(shown()).toBeNull()
  pass(1)
  expect(shown()).toBe('About First')

  leave('First')
  expect(shown()).toBeNull()
  pass(299)
  enter('Second')
  pass(0)
  expect(shown()).toBe('About Second')

  leave('Second')
  pass(301)
  enter('First')
  pass(699)
  expect(shown()).toBeNull()
  pass(1)
  expect(shown()).toBe('About First')
})

test('opens immediately on keyboard focus, but not on other focus', () => {
  const control = button('First')
  // This DOM doesn't distinguish keyboard focus (:focus-visible).
  const byKeyboard = vi.spyOn(control, 'matches').mockReturnValue(false)
  act(() => control.focus())
  expect(shown()).toBeNull()
  act(() => control.blur())
  byKeyboard.mockReturnValue(true)
  act(() => control.focus())
  expect(shown()).toBe('About First')
})
