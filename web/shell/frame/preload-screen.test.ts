import { afterEach, expect, test, vi } from 'vitest'
import { keepEarlyRead } from '#web/lib/api/early-reads.ts'
import { firstScreen } from '#web/lib/routing/first-screen.ts'
import { preloadFirstScreen, preloadScreen } from './preload-screen.ts'

vi.mock('./app-shell.tsx', () => ({ AppShell: () => null }))

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

/** Preloads a first screen in the shell; says what is over. */
function first(code: Promise<unknown>, reading = Promise.resolve()) {
  const over = { shell: false, page: false }
  const begun = preloadFirstScreen({ layout: 'shell', load: () => code }, reading)
  void begun.then(() => (over.shell = true))
  void firstScreen().then(() => (over.page = true))
  return over
}

test('the shell is drawn before the code of its page is here, and the page with what it read', async () => {
  vi.useFakeTimers()
  const code = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<unknown>()
  const over = first(
    code.promise,
    Promise.resolve().then(() => keepEarlyRead(['rows'], answer.promise)),
  )
  await vi.dynamicImportSettled()
  await vi.advanceTimersByTimeAsync(100)
  expect(over).toEqual({ shell: true, page: false })
  code.resolve()
  await vi.advanceTimersByTimeAsync(100)
  expect(over).toEqual({ shell: true, page: false })
  answer.resolve(['row'])
  await vi.advanceTimersByTimeAsync(0)
  expect(over).toEqual({ shell: true, page: true })
})

test('a page is drawn without answers that do not come, and handles code that does not', async () => {
  vi.useFakeTimers()
  const slow = first(
    Promise.resolve(),
    Promise.resolve().then(() => keepEarlyRead(['never'], new Promise(() => undefined))),
  )
  await vi.advanceTimersByTimeAsync(400)
  expect(slow.page).toBe(false)
  await vi.advanceTimersByTimeAsync(200)
  expect(slow.page).toBe(true)
  const broken = first(Promise.reject(new Error('no code')))
  await vi.advanceTimersByTimeAsync(600)
  expect(broken).toEqual({ shell: true, page: true })
})
