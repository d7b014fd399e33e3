import { act, useState } from 'react'
import { beforeAll, expect, test } from 'vitest'
import { drawing } from '#web/lib/drawing.ts'
import { Flyout } from './flyout.tsx'

const page = drawing()
beforeAll(() => {
  HTMLElement.prototype.showPopover = () => undefined
})

function Members() {
  const [open, setOpen] = useState(false)
  return (
    <Flyout
      open={open}
      onOpenChange={setOpen}
      label="Members"
      role="dialog"
      button={{ children: 'Open' }}
      panelClassName=""
    >
      <button type="button">Inside</button>
    </Flyout>
  )
}

const press = (key: string, prevented = false) => {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
  if (prevented) event.preventDefault()
  document.body.dispatchEvent(event)
}

test('Escape closes the panel also when nothing has the focus, and gives it back', async () => {
  await act(async () => page.root.render(<Members />))
  const button = page.place.querySelector('button')
  await act(async () => button?.click())
  const panel = () => page.place.querySelector('[role=dialog]')
  expect(panel()).not.toBeNull()
  ;(document.activeElement as HTMLElement | null)?.blur()
  // Whoever is inside and took it for itself keeps the panel open.
  await act(async () => press('Escape', true))
  expect(panel()).not.toBeNull()
  await act(async () => press('Escape'))
  expect(panel()).toBeNull()
  expect(document.activeElement).toBe(button)
})
