import { act, render } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { RouteArrival } from './route-arrival.tsx'

afterEach(() => vi.restoreAllMocks())

test('navigating scrolls to the top, and focuses the heading except on the first page', () => {
  const scrollTo = vi.spyOn(window, 'scrollTo').mockImplementation(() => undefined)
  const at = (path: string) => (
    <main>
      <h1>{path}</h1>
      <RouteArrival key={path} />
    </main>
  )
  const { rerender } = render(at('/site'))
  expect(scrollTo).toHaveBeenLastCalledWith(0, 0)
  expect(document.activeElement).toBe(document.body)
  rerender(at('/user'))
  expect(scrollTo).toHaveBeenCalledTimes(2)
  expect(document.activeElement?.textContent).toBe('/user')
  // Re-rendering without a path change moves nothing.
  rerender(at('/user'))
  expect(scrollTo).toHaveBeenCalledTimes(2)
})

const form = (path: string, field: string | null, busy = false) => (
  <main>
    <h1>{path}</h1>
    <form>
      {busy && <p aria-busy="true" />}
      <input type="text" disabled />
      {field !== null && <input aria-label={field} />}
      <input aria-label="Last" />
    </form>
    <RouteArrival key={path} form />
  </main>
)
const focused = () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent
const settled = () => act(async () => undefined)

test('on a form page the first field gets the focus, also on the first page, once the form has its data', async () => {
  vi.resetModules()
  const { RouteArrival: Fresh } = await import('./route-arrival.tsx')
  const first = render(
    <main>
      <form>
        <input aria-label="Email" />
      </form>
      <Fresh form />
    </main>,
  )
  expect(focused()).toBe('Email')
  first.unmount()

  const { rerender } = render(form('/site/create', null, true))
  expect(focused()).toBe('/site/create')
  rerender(form('/site/create', 'Server'))
  await settled()
  expect(focused()).toBe('Server')
})

test('a field that comes later does not take the focus from where the user has moved it', async () => {
  const { rerender, getByLabelText } = render(form('/signup', null, true))
  getByLabelText('Last').focus()
  rerender(form('/signup', 'First name'))
  await settled()
  expect(focused()).toBe('Last')
})
