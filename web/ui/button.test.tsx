import { act } from 'react'
import { afterEach, expect, test } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { setOfflineSince } from '#web/lib/api/offline.ts'
import { Button } from './button.tsx'

const page = testRender()
afterEach(() => act(async () => setOfflineSince(null)))

test('a form is not sent while nothing reaches the server, and its button says why and keeps the focus', async () => {
  let sent = 0
  let pressed = 0
  await act(async () =>
    page.root.render(
      <form
        onSubmit={(event) => {
          event.preventDefault()
          sent += 1
        }}
      >
        <Button type="submit">Save</Button>
        <Button onClick={() => (pressed += 1)}>Cancel</Button>
      </form>,
    ),
  )
  const [save, cancel] = page.place.querySelectorAll('button')
  await act(async () => save?.click())
  expect(sent).toBe(1)
  save?.focus()
  await act(async () => setOfflineSince(1))
  expect(save?.getAttribute('aria-disabled')).toBe('true')
  const reason = document.getElementById(save?.getAttribute('aria-describedby') ?? '')
  expect(reason?.textContent).toBe('Possible when the server can be reached again')
  expect(reason?.previousElementSibling).toBe(save)
  expect(document.activeElement).toBe(save)
  await act(async () => {
    save?.click()
    cancel?.click()
  })
  expect([sent, pressed]).toEqual([1, 1])
  await act(async () => setOfflineSince(null))
  expect(page.place.textContent).toBe('SaveCancel')
  await act(async () => save?.click())
  expect(sent).toBe(2)
})
