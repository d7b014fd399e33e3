import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { AlertDialog } from './alert-dialog.tsx'

test.each([' blog', 'blog ', 'Blog', 'blo', ''])('%j does not confirm what "blog" confirms', async (typed) => {
  const onConfirm = vi.fn()
  const user = userEvent.setup()
  render(
    <AlertDialog
      open
      title="Archive blog"
      confirmLabel="Archive"
      confirmName="blog"
      onOpenChange={() => undefined}
      onConfirm={onConfirm}
    />,
  )
  const field = screen.getByLabelText('Type blog to confirm')
  expect(document.activeElement).toBe(field)
  if (typed !== '') await user.type(field, typed)
  await user.type(field, '{Enter}')
  expect(onConfirm).not.toHaveBeenCalled()
  expect(screen.getByText('The name doesn’t match.')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Archive' }).hasAttribute('disabled')).toBe(true)
  await user.clear(field)
  await user.type(field, 'blog{Enter}')
  expect(onConfirm).toHaveBeenCalledExactlyOnceWith('blog')
})

test('the field has the focus, and the button is off until the name is right', async () => {
  const user = userEvent.setup()
  render(
    <AlertDialog
      open
      title="Archive blog"
      confirmLabel="Archive"
      confirmName="blog"
      onOpenChange={() => undefined}
      onConfirm={() => undefined}
    />,
  )
  const confirm = screen.getByRole('button', { name: 'Archive' })
  expect(document.activeElement).toBe(screen.getByLabelText('Type blog to confirm'))
  expect(confirm.hasAttribute('disabled')).toBe(true)
  await user.keyboard('blo')
  expect(confirm.hasAttribute('disabled')).toBe(true)
  await user.keyboard('g')
  expect(confirm.hasAttribute('disabled')).toBe(false)
})

test('without a name to type the button is on and Cancel has the focus', () => {
  render(
    <AlertDialog open title="Leave" confirmLabel="Leave" onOpenChange={() => undefined} onConfirm={() => undefined} />,
  )
  expect(screen.getByRole('button', { name: 'Leave' }).hasAttribute('disabled')).toBe(false)
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' }))
})
