import { act, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { awaitFirstScreen, firstScreen, useFirstScreen } from './first-screen.ts'

const drawn = vi.fn()

function Page() {
  return useFirstScreen() ? <p>page</p> : <p>wait</p>
}

function Shell() {
  drawn()
  return <Page />
}

test.each(['resolved', 'rejected'] as const)('the page waits, and is drawn without its shell: %s', async (outcome) => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  awaitFirstScreen(promise)
  let isOver = false
  void firstScreen().then(() => (isOver = true))
  const { unmount } = render(<Shell />)
  const before = drawn.mock.calls.length
  expect([screen.queryByText('page'), screen.queryByText('wait')?.textContent]).toEqual([null, 'wait'])
  await act(async () => (outcome === 'resolved' ? resolve() : reject(new Error('no code'))))
  expect([screen.queryByText('page')?.textContent, drawn.mock.calls.length, isOver]).toEqual(['page', before, true])
  unmount()
})

test('a page that nobody waits for is drawn at once', () => {
  render(<Shell />)
  expect(screen.getByText('page')).toBeTruthy()
})
