import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { MemoryRouter } from '#web/lib/router.tsx'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { clearToasts, showToast, toastDurationMs } from '#web/lib/toasts.ts'
import { ToastArea } from './toast-area.tsx'

let place: HTMLElement
let root: Root
beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.useFakeTimers()
  place = document.body.appendChild(document.createElement('div'))
  root = createRoot(place)
  await act(async () =>
    root.render(
      <MemoryRouter>
        <button type="button">Page</button>
        <ToastArea />
      </MemoryRouter>,
    ),
  )
})
afterEach(async () => {
  await act(async () => {
    root.unmount()
    clearToasts()
  })
  place.remove()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const show = (...input: Parameters<typeof showToast>) => act(async () => void showToast(...input))
const pass = (ms: number) => act(async () => void vi.advanceTimersByTime(ms))
const card = () => place.querySelector<HTMLElement>('[role=group]')
const press = (name: string) =>
  act(async () =>
    [...place.querySelectorAll('button')]
      .find((one) => (one.getAttribute('aria-label') ?? one.textContent) === name)
      ?.click(),
  )
const send = (target: EventTarget | null, event: Event) => act(async () => void target?.dispatchEvent(event))
const pointer = (type: string, clientX = 0) => new PointerEvent(type, { bubbles: true, button: 0, clientX })

test('one at a time, read out, gone after its time', async () => {
  const region = place.querySelector('[role=status]')
  expect(region?.getAttribute('aria-live')).toBe('polite')
  await show({ title: 'First' })
  await show({ title: 'Second', description: 'It failed.', variant: 'danger' })
  expect(place.querySelectorAll('[role=group]')).toHaveLength(1)
  expect(region?.textContent).toContain('SecondIt failed.')
  expect(region?.getAttribute('aria-live')).toBe('assertive')
  await pass(toastDurationMs - 1)
  expect(card()).not.toBeNull()
  await pass(1)
  expect(card()).toBeNull()
})

test('the pointer, the focus and another window stop its clock', async () => {
  await show({ title: 'Read me' })
  const holds = [
    [() => send(card(), pointer('pointerover')), () => send(card(), pointer('pointerout'))],
    [() => send(window, new Event('blur')), () => send(window, new Event('focus'))],
    [
      () => send(document, new KeyboardEvent('keydown', { key: 'F8', bubbles: true })),
      () => act(async () => place.querySelector('button')?.focus()),
    ],
  ] as const
  for (const [hold, release] of holds) {
    await pass(1000)
    await hold()
    await pass(60_000)
    expect(card()).not.toBeNull()
    await release()
  }
  await pass(toastDurationMs - 3000)
  expect(card()).toBeNull()
})

test('its button acts and closes it; Esc and the cross close it and give the focus back', async () => {
  const onClick = vi.fn()
  await show({ title: 'Archived', action: { label: 'Undo', onClick } })
  await press('Undo')
  expect(onClick).toHaveBeenCalledTimes(1)
  expect(card()).toBeNull()

  const page = place.querySelector('button')
  page?.focus()
  await show({ title: 'Read me' })
  await send(document, new KeyboardEvent('keydown', { key: 'F8', bubbles: true }))
  expect(document.activeElement).toBe(card())
  await send(card(), new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
  expect(card()).toBeNull()
  expect(document.activeElement).toBe(page)

  await show({ title: 'Again' })
  await press('Close')
  expect(card()).toBeNull()
})

test('pushed to the right far enough it goes, less far it comes back', async () => {
  await show({ title: 'Push me' })
  const element = card()
  if (!element) throw new Error('no toast')
  element.setPointerCapture = () => undefined
  const push = async (by: number) => {
    await send(element, pointer('pointerdown', 100))
    await send(element, pointer('pointermove', 100 + by))
    expect(element.style.transform).toBe(`translateX(${by}px)`)
    await send(element, pointer('pointerup', 100 + by))
  }
  await push(49)
  expect(card()).toBe(element)
  expect(element.style.transform).toBe('')
  await push(50)
  expect(card()).toBeNull()
})
