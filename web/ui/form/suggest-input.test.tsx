import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { SuggestInput, type Suggestion } from './suggest-input.tsx'

const page = testRender()
const picked = vi.fn<(suggestion: Suggestion) => void>()

function box(): HTMLInputElement {
  const found = page.place.querySelector<HTMLInputElement>('[role=combobox]')
  if (!found) throw new Error('no box')
  return found
}
const press = (key: string): boolean => {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
  act(() => void box().dispatchEvent(event))
  return event.defaultPrevented
}
const selected = () => page.place.querySelector('[role=option][aria-selected=true]')?.textContent ?? null

test('nothing is chosen until an arrow chooses: Enter, Home and End stay those of the box', () => {
  act(() =>
    page.root.render(
      <SuggestInput
        value="a"
        onValue={() => undefined}
        listLabel="People"
        suggestions={[
          { id: 'ada', label: 'ada', disabled: true },
          { id: 'ann', label: 'ann' },
        ]}
        onPick={picked}
      />,
    ),
  )
  act(() => box().focus())
  expect(page.place.querySelectorAll('[role=option]')).toHaveLength(2)
  expect(selected()).toBeNull()
  expect([press('Home'), press('End'), press('Enter')]).toEqual([false, false, false])
  press('ArrowDown')
  expect(selected()).toBe('ann')
  expect(document.activeElement).toBe(box())
  expect(press('Enter')).toBe(true)
  expect(picked.mock.calls.map(([{ id }]) => id)).toEqual(['ann'])
})
