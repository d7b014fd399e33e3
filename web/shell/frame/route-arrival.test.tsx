import { render } from '@testing-library/react'
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
