import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { Menu, MenuItem } from './menu.tsx'
import { Popover } from './popover.tsx'

afterEach(() => {
  vi.useRealTimers()
  cleanup()
})

function Columns() {
  const [open, setOpen] = useState(false)
  return (
    <Popover label="Columns" open={open} onOpenChange={setOpen} trigger={<button type="button">Show columns</button>}>
      <input aria-label="PHP" />
    </Popover>
  )
}

function Actions() {
  return (
    <Menu trigger={<button type="button">Show actions</button>}>
      <MenuItem>Archive</MenuItem>
    </Menu>
  )
}

/** Opens a layer by its trigger and closes it by Escape, up to the timer that returns the focus. */
function closed(trigger: string): void {
  vi.useFakeTimers()
  render(
    <>
      {trigger === 'Show columns' ? <Columns /> : <Actions />}
      <button type="button">Next</button>
    </>,
  )
  const button = screen.getByText(trigger)
  act(() => button.focus())
  if (trigger === 'Show columns') fireEvent.click(button)
  else fireEvent.keyDown(button, { key: 'Enter' })
  act(() => void vi.runAllTimers())
  expect(document.activeElement).not.toBe(button)
  fireEvent.keyDown(document.activeElement ?? document, { key: 'Escape' })
}

test.each(['Show columns', 'Show actions'])('%s: the focus returns to the trigger after closing', (trigger) => {
  closed(trigger)
  act(() => void vi.runAllTimers())
  expect(document.activeElement?.textContent).toBe(trigger)
})

test.each(['Show columns', 'Show actions'])('%s: focus moved while it closes stays where it is', (trigger) => {
  closed(trigger)
  screen.getByText('Next').focus()
  act(() => void vi.runAllTimers())
  expect(document.activeElement?.textContent).toBe('Next')
})
