// @vitest-environment happy-dom
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => {
  vi.resetModules()
  vi.useFakeTimers()
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run, 16))
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function drawn() {
  const line = await import('./second-line.ts')
  const place = document.createElement('div')
  const Part = () => String(line.useSecondLine())
  return { ...line, place, draw: () => act(() => createRoot(place).render(<Part />)) }
}
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

test('without a page that loads nothing waits', async () => {
  const { place, draw } = await drawn()
  draw()
  expect(place.textContent).toBe('true')
})

test('waits until the first page was painted', async () => {
  const { place, draw, closeSecondLine, openSecondLine } = await drawn()
  closeSecondLine()
  draw()
  expect(place.textContent).toBe('false')
  openSecondLine()
  expect(place.textContent).toBe('false')
  await pass(17)
  expect(place.textContent).toBe('true')
})

test('waits until nothing is left to draw, where the browser tells that', async () => {
  const idle = vi.fn<(run: () => void, options: { timeout: number }) => void>()
  vi.stubGlobal('requestIdleCallback', idle)
  const { place, draw, closeSecondLine, openSecondLine } = await drawn()
  closeSecondLine()
  draw()
  openSecondLine()
  await pass(17)
  expect(place.textContent).toBe('false')
  const [letIn, { timeout }] = idle.mock.calls[0] ?? [() => undefined, { timeout: 0 }]
  expect(timeout).toBeGreaterThan(0)
  act(letIn)
  expect(place.textContent).toBe('true')
})

test('a page that never comes holds nothing up for ever', async () => {
  const { place, draw, closeSecondLine } = await drawn()
  closeSecondLine()
  draw()
  await pass(2999)
  expect(place.textContent).toBe('false')
  await pass(1)
  expect(place.textContent).toBe('true')
})
