import { act } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { Tooltip, TooltipProvider } from './tooltip.tsx'

const page = testRender()

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  act(() =>
    page.root.render(
      <TooltipProvider>
        {['First', 'Second'].map((name) => (
          <Tooltip key={name} content={`About ${name}`}>
            <button type="button">{name}</button>
          </Tooltip>
        ))}
      </TooltipProvider>,
    ),
  )
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number): void =>
  act(() => {
    vi.advanceTimersByTime(ms)
  })
const shown = (): string | null => document.querySelector('[role=tooltip]')?.textContent ?? null
const button = (name: string) => [...page.place.querySelectorAll('button')].find((one) => one.textContent === name)

function send(target: Element | undefined, type: string, clientY: number): void {
  act(() => {
    target?.dispatchEvent(
      new PointerEvent(type, { bubbles: true, pointerType: 'mouse', relatedTarget: document.body, clientY }),
    )
  })
}
const enter = (name: string): void => send(button(name), 'pointermove', 0)
/** The pointer leaves the control, but not for the tooltip. */
function leave(name: string): void {
  send(button(name), 'pointerout', 0)
  send(button(name), 'pointerleave', 0)
  send(document.body, 'pointermove', 500)
}

test('opens after 700 ms; the next one at once within 300 ms, later not', () => {
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

test('opens at once by the keyboard’s focus, not by another', () => {
  const control = button('First')
  if (!control) throw new Error('no control')
  // This DOM doesn't distinguish keyboard focus (:focus-visible).
  const byKeyboard = vi.spyOn(control, 'matches').mockReturnValue(false)
  act(() => control.focus())
  expect(shown()).toBeNull()
  act(() => control.blur())
  byKeyboard.mockReturnValue(true)
  act(() => control.focus())
  expect(shown()).toBe('About First')
})
