import { act, Suspense } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CodeBoundary } from '#web/ui/code-boundary.tsx'
import { CodeMissing, codeOf, fetchAhead, fetched } from './code.ts'
import { FileMissing } from './fetch-first.ts'

let place: HTMLElement
let root: Root
beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')))
  place = document.body.appendChild(document.createElement('div'))
  root = createRoot(place, { onCaughtError: () => undefined })
})
afterEach(async () => {
  await act(async () => root.unmount())
  place.remove()
  vi.unstubAllGlobals()
})

/** Code that comes once the network is back. */
function behindNetwork<T>(value: T) {
  const network = { back: false, asked: 0 }
  const fetchCode = async (): Promise<T> => {
    network.asked += 1
    if (!network.back) throw new FileMissing('panel.js was not answered.')
    return value
  }
  return { network, fetchCode }
}

test('code is fetched once, and after a failure anew', async () => {
  const { network, fetchCode } = behindNetwork('panel')
  const code = codeOf(fetchCode, { ahead: false })
  const failed = await code.load().catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(CodeMissing)
  expect(failed).toHaveProperty('code', code)
  expect(code.here()).toBeNull()
  network.back = true
  expect(await Promise.all([code.load(), code.load()])).toEqual(['panel', 'panel'])
  expect(await code.load()).toBe('panel')
  expect(code.here()).toBe('panel')
  expect(network.asked).toBe(2)
})

test('what a screen waits for stays failed until it is gone, so that rendering does not try for ever', async () => {
  const { network, fetchCode } = behindNetwork('page')
  const code = codeOf(fetchCode, { ahead: false })
  const attempt = code.attempt()
  await expect(attempt).rejects.toBeInstanceOf(CodeMissing)
  expect(code.attempt()).toBe(attempt)
  expect(network.asked).toBe(1)
  code.forget()
  network.back = true
  await expect(code.attempt()).resolves.toBe('page')
})

test('a component that waited for its code is drawn without a word of React, and the next one without waiting', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const code = Promise.withResolvers<() => string>()
  const Panel = fetched(() => code.promise, { ahead: false })
  const draw = (key: string) =>
    root.render(
      <Suspense fallback="waiting">
        <Panel key={key} />
      </Suspense>,
    )
  await act(async () => draw('first'))
  expect(place.textContent).toBe('waiting')
  await act(async () => code.resolve(() => 'panel'))
  expect(place.textContent).toBe('panel')
  await act(async () => draw('first'))
  act(() => draw('second'))
  expect(place.textContent).toBe('panel')
  expect(said).not.toHaveBeenCalled()
})

test('fetching ahead takes what was declared, what failed and what is declared later', async () => {
  const early = behindNetwork('early')
  const seldom = behindNetwork('seldom')
  const code = codeOf(early.fetchCode)
  codeOf(seldom.fetchCode, { ahead: false })
  fetchAhead()
  await vi.waitFor(() => expect(early.network.asked).toBe(1))
  early.network.back = true
  await vi.waitFor(() => {
    fetchAhead()
    expect(code.here()).toBe('early')
  })
  const later = codeOf(async () => 'later')
  await vi.waitFor(() => expect(later.here()).toBe('later'), { timeout: 6000 })
  expect(seldom.network.asked).toBe(0)
})

async function draw(part: ReturnType<typeof fetched>, at = '/a'): Promise<void> {
  const Part = part
  await act(async () =>
    root.render(
      <>
        <nav>Sidebar</nav>
        <CodeBoundary level="page" at={at}>
          <Suspense fallback="…">
            <Part />
          </Suspense>
        </CodeBoundary>
      </>,
    ),
  )
}

const button = () => place.querySelector('button')

test('a page that does not come leaves the rest, and comes by its button', async () => {
  const { network, fetchCode } = behindNetwork(() => <h1>Servers</h1>)
  const page = fetched(fetchCode, { ahead: false })
  await draw(page)
  expect(place.textContent).toContain('This page could not be loaded')
  expect(place.textContent).toContain('Sidebar')
  await act(async () => button()?.click())
  expect(place.textContent).toContain('This page could not be loaded')
  network.back = true
  await act(async () => button()?.click())
  expect(place.querySelector('h1')?.textContent).toBe('Servers')
})

test('going elsewhere and back asks again by itself', async () => {
  const { network, fetchCode } = behindNetwork(() => <h1>Servers</h1>)
  const page = fetched(fetchCode, { ahead: false })
  await draw(page)
  const elsewhere = fetched(async () => () => <h1>Sites</h1>, { ahead: false })
  await draw(elsewhere, '/b')
  expect(place.querySelector('h1')?.textContent).toBe('Sites')
  network.back = true
  await draw(page, '/a')
  expect(place.querySelector('h1')?.textContent).toBe('Servers')
})

test('code that comes and fails is told to the console, too', async () => {
  const reported = vi.fn()
  vi.stubGlobal('reportError', reported)
  const defect = new TypeError('undefined is not a function')
  await expect(codeOf(() => Promise.reject(defect), { ahead: false }).load()).rejects.toBeInstanceOf(CodeMissing)
  expect(reported.mock.calls).toEqual([[defect]])
  await expect(codeOf(behindNetwork('x').fetchCode, { ahead: false }).load()).rejects.toBeInstanceOf(CodeMissing)
  expect(reported).toHaveBeenCalledTimes(1)
})

test('a defect of a page is not taken for code that did not come', async () => {
  const Defect = () => {
    throw new Error('a defect')
  }
  const drawing = act(async () =>
    root.render(
      <CodeBoundary level="page">
        <Defect />
      </CodeBoundary>,
    ),
  )
  await expect(drawing).rejects.toThrow('a defect')
})
