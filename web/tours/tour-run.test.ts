import type { Config } from 'driver.js'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadTour } from '#web/lib/session/tour-list.ts'
import { runTour } from './tour-run.ts'
import type { TourStep } from './tour-steps.ts'

/** Mock of the library that records its config and the shown steps. */
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
const tour = { name: 'onboarding', step: 0 } as const
const end = vi.fn()
const go = vi.fn(() => Promise.resolve())

beforeEach(() => {
  vi.useFakeTimers()
  sessionStorage.clear()
  library.shown.length = 0
  Element.prototype.getClientRects = () => [{}] as unknown as DOMRectList
  // Of the shell's two targets, one is not rendered at this width.
  document.body.innerHTML = '<i class="switcher"></i><i class="people"></i>'
})
afterEach(() => {
  vi.useRealTimers()
  vi.clearAllMocks()
})

test('looks for its target 25 ms after a route change', async () => {
  runTour(tour, [step('people', '/user')], { go, onEnd: end })
  expect(go).toHaveBeenCalledExactlyOnceWith('/user')
  await pass(24)
  expect(library.shown).toEqual([])
  await pass(1)
  expect(library.shown).toEqual(['people, 1 of 1'])
})

test('the ring is around the current target alone, also after the page changed its classes', async () => {
  const ringed = () => [...document.querySelectorAll('[data-tour-target]')].map(({ className }) => className)
  const { end: stop } = runTour(tour, [step('switcher'), step('people', '/user')], { go, onEnd: end })
  await pass(25)
  expect(ringed()).toEqual(['switcher'])
  press(0, 'onNextClick')
  await pass(25)
  document.querySelector('.people')?.setAttribute('class', 'people selected')
  expect(ringed()).toEqual(['people selected'])
  stop()
  expect(ringed()).toEqual([])
})

test('waits until the next page is shown before looking for its target', async () => {
  const arrival = Promise.withResolvers<void>()
  go.mockReturnValueOnce(arrival.promise)
  runTour(tour, [step('people', '/user')], { go, onEnd: end })
  await pass(1000)
  expect(library.shown).toEqual([])
  arrival.resolve()
  await pass(25)
  expect(library.shown).toEqual(['people, 1 of 1'])
})

test('ignores an Escape pressed before it was visible', async () => {
  const listener = vi.fn()
  window.addEventListener('keyup', listener)
  const key = (type: string) => document.body.dispatchEvent(new KeyboardEvent(type, { key: 'Escape', bubbles: true }))
  runTour(tour, [step('switcher')], { go, onEnd: end })
  key('keydown')
  await pass(25)
  key('keyup')
  expect(listener).not.toHaveBeenCalled()
  key('keydown')
  key('keyup')
  expect(listener).toHaveBeenCalledOnce()
  window.removeEventListener('keyup', listener)
})

test('opens the form of a step instead of the next step, and pausing it does not end it', async () => {
  const { hold } = runTour(tour, [{ ...step('switcher'), form: '/form', opensForm: true }, step('people')], {
    go,
    onEnd: end,
  })
  await pass(25)
  press(0, 'onNextClick')
  expect(go).toHaveBeenCalledExactlyOnceWith('/form')
  expect(hold()).toBe(0)
  await pass(1000)
  expect(library.shown).toEqual(['switcher, 1 of 2'])
  expect(end).not.toHaveBeenCalled()
})

test('a step whose target does not appear is shown without it, and the count stays', async () => {
  runTour(tour, steps, { go, onEnd: end })
  await pass(25)
  press(0, 'onNextClick')
  expect(go).toHaveBeenLastCalledWith('/site')
  await pass(25 + 5000)
  const card = () => (library.config as Config).steps?.[1]?.element
  expect(card()).toBeUndefined()
  press(1, 'onNextClick')
  await pass(25)
  expect(library.shown).toEqual(['switcher, 1 of 3', 'row, 2 of 3', 'people, 3 of 3'])
  expect(loadTour()).toEqual({ name: 'onboarding', step: 3 })

  // Now there is a row.
  document.body.insertAdjacentHTML('beforeend', '<i class="row"></i>')
  press(2, 'onPrevClick')
  await pass(25)
  expect(library.shown.at(-1)).toBe('row, 2 of 3')
  expect(card()).toBeDefined()
})

test('when rendered again, it leaves the focus where it was until the next step', async () => {
  document.body.insertAdjacentHTML('beforeend', '<input><b class="driver-popover-next-btn" tabindex="0"></b>')
  const field = document.querySelector('input')
  field?.focus()
  const { focusBeside } = runTour(tour, [step('switcher'), step('people')], { go, onEnd: end, focus: field })
  await pass(25)
  expect(document.activeElement).toBe(field)
  expect(focusBeside()).toBe(field)
  press(0, 'onNextClick')
  await pass(25)
  expect(document.activeElement?.className).toBe('driver-popover-next-btn')
})

test('when rendered again before its popover was visible, it takes the focus that was returned to the page', async () => {
  document.body.insertAdjacentHTML('beforeend', '<input><b class="driver-popover-next-btn" tabindex="0"></b>')
  const early = runTour(tour, [step('switcher')], { go, onEnd: end })
  document.querySelector('input')?.focus()
  expect(early.focusBeside()).toBeNull()
  early.hold()
  runTour(tour, [step('switcher')], { go, onEnd: end, focus: early.focusBeside() })
  await pass(25)
  expect(document.activeElement?.className).toBe('driver-popover-next-btn')
})

test('ends once, after its last step', async () => {
  const { end: stop } = runTour(tour, [step('switcher')], { go, onEnd: end })
  await pass(25)
  press(0, 'onNextClick')
  stop()
  expect(end).toHaveBeenCalledExactlyOnceWith(true)
  expect(loadTour()).toBeNull()
})

test.each(['by who plays it', 'with its cross or Escape', 'by Previous, with nothing left before it'])(
  'ending it %s does not count as finished',
  async (way) => {
    const { end: stop } = runTour(tour, [step('switcher')], { go, onEnd: end })
    await pass(25)
    if (way === 'by who plays it') stop()
    else if (way.startsWith('with'))
      (library.config as { onDestroyStarted: (element: Element) => void }).onDestroyStarted(document.body)
    else press(0, 'onPrevClick')
    await pass(25)
    expect(end).toHaveBeenCalledExactlyOnceWith(false)
  },
)
