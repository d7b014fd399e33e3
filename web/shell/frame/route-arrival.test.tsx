import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RouteArrival } from './route-arrival.tsx'

beforeEach(() => vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true))
afterEach(() => {
  document.body.replaceChildren()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('each change of path begins at the top, each but the first with the focus on the heading', () => {
  const scrollTo = vi.spyOn(window, 'scrollTo').mockImplementation(() => undefined)
  const place = document.createElement('main')
  document.body.append(place)
  const root = createRoot(place)
  const arrive = (path: string) =>
    act(() =>
      root.render(
        <>
          <h1>{path}</h1>
          <RouteArrival key={path} />
        </>,
      ),
    )
  arrive('/site')
  expect(scrollTo).toHaveBeenLastCalledWith(0, 0)
  expect(document.activeElement).toBe(document.body)
  arrive('/user')
  expect(scrollTo).toHaveBeenCalledTimes(2)
  expect(document.activeElement?.textContent).toBe('/user')
  // Re-rendering without a path change moves nothing.
  arrive('/user')
  expect(scrollTo).toHaveBeenCalledTimes(2)
  act(() => root.unmount())
})
