import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { setOfflineSince } from '#web/lib/api/offline.ts'
import { Button } from './button.tsx'

afterEach(() => act(() => setOfflineSince(null)))

test('while offline, a submit button does not submit, says why and keeps the focus', async () => {
  let sent = 0
  let pressed = 0
  const { container } = render(
    <form
      onSubmit={(event) => {
        event.preventDefault()
        sent += 1
      }}
    >
      <Button type="submit">Save</Button>
      <Button onClick={() => (pressed += 1)}>Cancel</Button>
    </form>,
  )
  const user = userEvent.setup()
  const save = screen.getByRole('button', { name: 'Save' })
  await user.click(save)
  expect(sent).toBe(1)
  act(() => setOfflineSince(1))
  expect(save.getAttribute('aria-disabled')).toBe('true')
  const reason = document.getElementById(save.getAttribute('aria-describedby') ?? '')
  expect(reason?.textContent).toBe('Available when the connection is back')
  expect(reason?.previousElementSibling).toBe(save)
  expect(document.activeElement).toBe(save)
  await user.click(save)
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  expect([sent, pressed]).toEqual([1, 1])
  act(() => setOfflineSince(null))
  expect(container.textContent).toBe('SaveCancel')
  await user.click(save)
  expect(sent).toBe(2)
})
