import { afterEach, expect, test, vi } from 'vitest'
import { preloadScreen } from './preload-screen.ts'

afterEach(() => void vi.useRealTimers())

test('a screen whose code does not come is rendered all the same, after a while', async () => {
  vi.useFakeTimers()
  const rendered = vi.fn()
  void preloadScreen({ layout: 'fullscreen', load: () => new Promise(() => undefined) }).then(rendered)
  await vi.advanceTimersByTimeAsync(2000)
  expect(rendered).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(2000)
  expect(rendered).toHaveBeenCalledOnce()
})
