import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Tooltip } from './tooltip.tsx'

let root: Root
let place: HTMLElement

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.useFakeTimers({ now: 1_000_000 })
  HTMLElement.prototype.showPopover = () => undefined
  place = document.createElement('div')
  document.body.append(place)
  root = createRoot(place)
  act(() =>
    root.render(
      ['First', 'Second'].map((name) => (
        <Tooltip key={name} content={`About ${name}`}>
          <button type="button">{name}</button>
        </Tooltip>
      )),
    ),
  )
})
afterEach(() => {
  act(() => root.unmount())
  place.remove()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const pass = (ms: number): void =>
  act(() => {
    vi.advanceTimersByTime(ms)
  })
const shown = (): string | null => place.querySelector('[role=tooltip]')?.textContent ?? null

/** React hears of a pointer that comes and goes by these. */
function point(name: string, type: 'pointerover' | 'pointerout'): void {
  const button = [...place.querySelectorAll('button')].find((one) => one.textContent === name)
  act(() => {
    button?.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: 'mouse', relatedTarget: document.body }))
  })
}

test('opens after 700 ms; the next one at once within 300 ms, later not', () => {
  point('First', 'pointerover')
  pass(699)
  expect(shown()).toBeNull()
  pass(1)
  expect(shown()).toBe('About First')

  point('First', 'pointerout')
  pass(120)
  expect(shown()).toBeNull()
  pass(299)
  point('Second', 'pointerover')
  pass(0)
  expect(shown()).toBe('About Second')

  point('Second', 'pointerout')
  pass(120 + 300)
  point('First', 'pointerover')
  pass(699)
  expect(shown()).toBeNull()
  pass(1)
  expect(shown()).toBe('About First')
})
