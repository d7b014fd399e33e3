// @vitest-environment happy-dom
import type { Config } from 'driver.js'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keptTour } from '#web/lib/tour-list.ts'
import { runTour } from './tour-run.ts'
import type { TourStep } from './tour-steps.ts'

/** In place of the library: what it was told, and what it showed. */
const library = vi.hoisted(() => ({ config: null as unknown, shown: [] as string[] }))
vi.mock('driver.js', () => ({
  driver: (config: Config) => {
    library.config = config
    const show = (index: number) => {
      const { popover } = config.steps?.[index] ?? {}
      library.shown.push(`${String(popover?.title)}, ${String(popover?.progressText)}`)
    }
    return { isActive: () => library.shown.length > 0, drive: show, moveTo: show, destroy: () => undefined }
  },
}))

const step = (name: string, path?: string): TourStep => ({
  name,
  target: `.${name}`,
  title: name,
  text: '',
  ...(path && { path }),
})
const steps = [step('switcher'), step('row', '/site'), step('users'), step('people', '/user')]
const press = (index: number, which: 'onNextClick' | 'onPrevClick'): void => {
  const handler = (library.config as Config).steps?.[index]?.popover?.[which] as (() => void) | undefined
  handler?.()
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const end = vi.fn()
const go = vi.fn()

beforeEach(() => {
  vi.useFakeTimers()
  sessionStorage.clear()
  library.shown.length = 0
  Element.prototype.getClientRects = () => [{}] as unknown as DOMRectList
  // Of the shell's two targets one is not drawn in this width.
  document.body.innerHTML = '<i class="switcher"></i><i class="people"></i>'
})
afterEach(() => {
  vi.useRealTimers()
  vi.clearAllMocks()
})

test('looks for its target 25 ms after a change of route', async () => {
  runTour('onboarding', [step('people', '/user')], 0, { go, onEnd: end })
  expect(go).toHaveBeenCalledExactlyOnceWith('/user')
  await pass(24)
  expect(library.shown).toEqual([])
  await pass(1)
  expect(library.shown).toEqual(['people, 1 of 1'])
})

test('skips a target that is not there, and counts those that are', async () => {
  runTour('onboarding', steps, 0, { go, onEnd: end })
  await pass(25)
  press(0, 'onNextClick')
  expect(go).toHaveBeenLastCalledWith('/site')
  // Its list is empty: after a while the tour goes on.
  await pass(25 + 5000 + 25)
  expect(library.shown).toEqual(['switcher, 1 of 3', 'people, 2 of 2'])
  expect(keptTour()).toEqual({ name: 'onboarding', step: 3 })

  // Meanwhile there is one.
  document.body.insertAdjacentHTML('beforeend', '<i class="row"></i>')
  press(2, 'onPrevClick')
  await pass(25)
  expect(library.shown.at(-1)).toBe('row, 2 of 3')
})

test('ends once, after its last step', async () => {
  const { end: stop } = runTour('onboarding', [step('switcher')], 0, { go, onEnd: end })
  await pass(25)
  press(0, 'onNextClick')
  stop()
  expect(end).toHaveBeenCalledOnce()
  expect(keptTour()).toBeNull()
})
