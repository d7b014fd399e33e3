import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reloadIfOutdated, reloadIfReachable } from './newer-build.ts'

const page = (entry: string) => `<!doctype html><script type="module" src="/web/assets/${entry}.js"></script>`
const reload = vi.fn()

beforeEach(() => {
  reload.mockClear()
  sessionStorage.clear()
  // The running build's script. Parsed in a separate document so that nothing loads.
  const running = new DOMParser().parseFromString(page('index-old'), 'text/html').querySelector('script')
  const find = document.querySelector.bind(document)
  vi.spyOn(document, 'querySelector').mockImplementation((selector: string) =>
    selector.startsWith('script') ? running : find(selector),
  )
  vi.spyOn(location, 'reload').mockImplementation(reload)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const respondWith = (body: string, status = 200) => vi.stubGlobal('fetch', async () => new Response(body, { status }))

test('a server with a newer build makes the page reload once', async () => {
  respondWith(page('index-new'))
  await reloadIfOutdated()
  await reloadIfOutdated()
  expect(reload).toHaveBeenCalledTimes(1)
  respondWith(page('index-newest'))
  await reloadIfOutdated()
  expect(reload).toHaveBeenCalledTimes(2)
})

test.each([
  ['the same app', page('index-old'), 200],
  ['a page of something between', '<h1>Bad gateway</h1>', 200],
  ['an error', page('index-new'), 502],
])('%s does not cause a reload', async (_what, body, status) => {
  respondWith(body, status)
  await reloadIfOutdated()
  expect(reload).not.toHaveBeenCalled()
})

test('the page is not reloaded while offline', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  await reloadIfOutdated()
  await reloadIfReachable()
  expect(reload).not.toHaveBeenCalled()
})

test('after a failed import the page is reloaded once the server responds', async () => {
  respondWith('<h1>Bad gateway</h1>')
  await reloadIfReachable()
  expect(reload).not.toHaveBeenCalled()
  respondWith(page('index-old'))
  await reloadIfReachable()
  expect(reload).toHaveBeenCalledTimes(1)
})
