import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState, type ReactNode } from 'react'
import { expect, test } from 'vitest'
import { Dialog } from './dialog.tsx'
import { Drawer } from './drawer.tsx'

/** Name of the focused element after a dialog with this content has opened. */
function focusedIn(children: ReactNode): string | null {
  render(
    <Dialog open onOpenChange={() => undefined} title="Clone">
      {children}
    </Dialog>,
  )
  return document.activeElement?.getAttribute('aria-label') ?? null
}

test('a form begins in its first field that can be filled in', () => {
  const focused = focusedIn(
    <form>
      <input type="hidden" aria-label="Token" />
      <input aria-label="Locked" disabled />
      <input aria-label="Name" />
      <input aria-label="Title" />
    </form>,
  )
  expect(focused).toBe('Name')
})

test('of radio buttons the chosen one is focused', () => {
  const focused = focusedIn(
    <form>
      <input type="radio" name="role" aria-label="Admin" />
      <input type="radio" name="role" aria-label="Member" defaultChecked />
    </form>,
  )
  expect(focused).toBe('Member')
})

test('without a form the button that closes it is focused', () => {
  expect(focusedIn(<input aria-label="Link" readOnly />)).toBe('Close')
})

test('a field that asked for the focus keeps it', () => {
  const focused = focusedIn(
    <form>
      <input aria-label="Name" />
      <input aria-label="Code" autoFocus />
    </form>,
  )
  expect(focused).toBe('Code')
})

function WithoutTrap() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Add
      </button>
      {isOpen ? (
        <Dialog open trapsFocus={false} onOpenChange={setOpen} title="Add">
          <form>
            <input aria-label="Name" />
          </form>
        </Dialog>
      ) : null}
    </>
  )
}

test('without a trap the page behind is inert while it is open, and what comes above it can be used', async () => {
  const user = userEvent.setup()
  const { container } = render(<WithoutTrap />)
  await user.click(screen.getByText('Add'))
  expect([container.inert, document.activeElement]).toEqual([true, screen.getByLabelText('Name')])
  // Shortcuts find it like any other, and the page stays where it is.
  const scrim = document.querySelector('.scrim[data-state=open]')
  if (scrim) fireEvent.animationEnd(scrim)
  expect(document.documentElement.dataset['locked']).toBeDefined()
  const above = document.createElement('input')
  document.body.append(above)
  await user.click(above)
  expect([above.inert, document.activeElement, screen.queryByRole('dialog') !== null]).toEqual([false, above, true])
  above.remove()
  await user.keyboard('{Escape}')
  expect([container.inert, screen.queryByRole('dialog')]).toEqual([false, null])
  expect(document.documentElement.dataset['locked']).toBeUndefined()
  await expect.poll(() => document.activeElement).toBe(screen.getByText('Add'))
})

test('once it has appeared the page behind stays where it is, until the last of several has closed', () => {
  const shown = (drawer: boolean, dialog: boolean) => (
    <>
      <Drawer open={drawer} onOpenChange={() => undefined} title="Job">
        Log
      </Drawer>
      <Dialog open={dialog} onOpenChange={() => undefined} title="Clone" />
    </>
  )
  const isLocked = () => document.documentElement.dataset['locked'] !== undefined
  const { rerender } = render(shown(true, true))
  expect(isLocked()).toBe(false)
  for (const scrim of document.querySelectorAll('.scrim')) fireEvent.animationEnd(scrim)
  expect(isLocked()).toBe(true)
  rerender(shown(true, false))
  expect([isLocked(), screen.queryByText('Clone')]).toEqual([true, null])
  // What opens above another one need not appear first.
  rerender(shown(true, true))
  rerender(shown(false, true))
  expect([isLocked(), screen.queryByText('Job')]).toEqual([true, null])
  rerender(shown(false, false))
  expect([isLocked(), screen.queryByText('Clone')]).toEqual([false, null])
})
