import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { lazy, Suspense, type ComponentType } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LazyBoundary } from './lazy-boundary.tsx'

const reload = vi.fn()
const reported = vi.fn()
beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')))
  vi.stubGlobal('reportError', reported)
  vi.spyOn(location, 'reload').mockImplementation(reload)
})
afterEach(() => {
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

const page = (Part: ComponentType, at = '/a') => (
  <>
    <nav>Sidebar</nav>
    <LazyBoundary level="page" at={at}>
      <Suspense fallback="…">
        <Part />
      </Suspense>
    </LazyBoundary>
  </>
)
const quiet = { onCaughtError: () => undefined }
const press = () => userEvent.click(screen.getByRole('button'))

test('a page whose code fails to load shows an error without affecting the rest; its button reloads once the server responds', async () => {
  render(page(lazy(failToLoad)), quiet)
  expect(await screen.findByText('This page could not be loaded')).toBeTruthy()
  expect(screen.getByText('Sidebar')).toBeTruthy()
  expect(reported).toHaveBeenCalledTimes(1)
  await press()
  expect(screen.getByText('This page could not be loaded')).toBeTruthy()
  expect(reload).not.toHaveBeenCalled()
  const entry = document.querySelector('script[type="module"][src]')?.getAttribute('src') ?? '/web/assets/index.js'
  vi.stubGlobal('fetch', async () => new Response(`<script type="module" src="${entry}"></script>`))
  await press()
  await waitFor(() => expect(reload).toHaveBeenCalledTimes(1))
})

test('navigating to another page clears the error', async () => {
  const { rerender } = render(page(lazy(failToLoad)), quiet)
  await screen.findByText('This page could not be loaded')
  rerender(page(() => <h1>Sites</h1>, '/b'))
  expect(screen.getByRole('heading', { name: 'Sites' })).toBeTruthy()
})

test('errors of the page itself are rethrown', () => {
  const Broken = () => {
    throw new Error('a defect')
  }
  expect(() => render(page(Broken), quiet)).toThrow('a defect')
})
