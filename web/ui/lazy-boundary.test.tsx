import { act, lazy, Suspense, type ComponentType } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LazyBoundary } from './lazy-boundary.tsx'

let place: HTMLElement
let root: Root
const reload = vi.fn()
const reported = vi.fn()
beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')))
  vi.stubGlobal('reportError', reported)
  vi.spyOn(location, 'reload').mockImplementation(reload)
  place = document.body.appendChild(document.createElement('div'))
  root = createRoot(place, { onCaughtError: () => undefined })
})
afterEach(async () => {
  await act(async () => root.unmount())
  place.remove()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  reload.mockClear()
  reported.mockClear()
})

/** Simulates Vite's behavior for a failed import in a build. */
async function failToLoad(): Promise<never> {
  const error = new TypeError('Failed to fetch dynamically imported module: servers.js')
  dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload: error }))
  throw error
}

const render = (Part: ComponentType, at = '/a') =>
  act(async () =>
    root.render(
      <>
        <nav>Sidebar</nav>
        <LazyBoundary level="page" at={at}>
          <Suspense fallback="…">
            <Part />
          </Suspense>
        </LazyBoundary>
      </>,
    ),
  )
const press = () => act(async () => place.querySelector('button')?.click())

test('a page that cannot be loaded says so and leaves the rest; its button reloads once the server answers', async () => {
  await render(lazy(failToLoad))
  expect(place.textContent).toContain('This page could not be loaded')
  expect(place.textContent).toContain('Sidebar')
  expect(reported).toHaveBeenCalledTimes(1)
  await press()
  expect(place.textContent).toContain('This page could not be loaded')
  expect(reload).not.toHaveBeenCalled()
  const entry = document.querySelector('script[type="module"][src]')?.getAttribute('src') ?? '/web/assets/index.js'
  vi.stubGlobal('fetch', async () => new Response(`<script type="module" src="${entry}"></script>`))
  await press()
  expect(reload).toHaveBeenCalledTimes(1)
})

test('navigating elsewhere leaves the failure behind', async () => {
  await render(lazy(failToLoad))
  await render(() => <h1>Sites</h1>, '/b')
  expect(place.querySelector('h1')?.textContent).toBe('Sites')
})

test('a defect of a page is not taken for code that could not be loaded', async () => {
  const rendering = render(() => {
    throw new Error('a defect')
  })
  await expect(rendering).rejects.toThrow('a defect')
})
