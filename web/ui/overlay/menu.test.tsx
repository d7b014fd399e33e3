import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { Menu, MenuItem } from './menu.tsx'

test('a reason that ends while the menu is open keeps its place and the item can be chosen', () => {
  const chosen = vi.fn<() => void>()
  const menu = (reason: string | null) => (
    <Menu trigger={<button type="button">More</button>}>
      <MenuItem reason={reason} onSelect={chosen}>
        Roll back
      </MenuItem>
      <MenuItem>Delete</MenuItem>
    </Menu>
  )
  const { rerender } = render(menu('Another job runs.'))
  fireEvent.keyDown(screen.getByRole('button'), { key: 'Enter' })
  fireEvent.click(screen.getByRole('menuitem', { name: 'Roll back Another job runs.' }))
  expect(chosen).not.toHaveBeenCalled()

  rerender(menu(null))
  // Its line is still there, so that "Delete" does not move to where the pointer is; nobody sees or hears it.
  expect(screen.getByText('Another job runs.').getAttribute('aria-hidden')).toBe('true')
  fireEvent.click(screen.getByRole('menuitem', { name: 'Roll back' }))
  expect(chosen).toHaveBeenCalledOnce()
})

test('an item that is off is dimmed, and becomes as the others when it can be chosen', () => {
  const menu = (reason: string | null) => (
    <Menu trigger={<button type="button">More</button>}>
      <MenuItem danger reason={reason}>
        Delete
      </MenuItem>
    </Menu>
  )
  const { rerender } = render(menu('Another job runs.'))
  fireEvent.keyDown(screen.getByRole('button'), { key: 'Enter' })
  const item = screen.getByRole('menuitem', { name: /^Delete/ })
  expect([...item.classList]).toContain('text-muted')
  expect([...item.classList]).not.toContain('text-bad')
  rerender(menu(null))
  expect([...item.classList]).toContain('text-bad')
  expect([...item.classList]).not.toContain('text-muted')
})
