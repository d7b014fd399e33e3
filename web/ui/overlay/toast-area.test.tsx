import { act, fireEvent, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  clearToasts,
  showToast,
  toastDurationMs,
  toastSwipePx,
  updateToast,
  useToasts,
} from '#web/lib/browser/toasts.ts'
import { Drawer } from './drawer.tsx'
import { ToastArea } from './toast-area.tsx'

beforeEach(() => {
  vi.useFakeTimers()
  render(
    <MemoryRouter>
      <button type="button">Page</button>
      <ToastArea />
    </MemoryRouter>,
  )
})
afterEach(() => {
  act(clearToasts)
  vi.useRealTimers()
})

const show = (...input: Parameters<typeof showToast>) => act(async () => void showToast(...input))
const pass = (ms: number) => act(async () => void vi.advanceTimersByTime(ms))
const card = () => screen.queryByRole('listitem')
const region = () => screen.getByRole('region')
/** The current screen reader announcement. */
const announcement = () => document.querySelector('body > [role=status]')
const button = (name: string) => screen.getByRole('button', { name })
const press = (name: string) => act(async () => void fireEvent.click(button(name)))
const send = (target: Element | Document | Window | null, event: Event) =>
  act(async () => {
    if (target) fireEvent(target, event)
  })
const pointer = (type: string, clientX = 0) => new PointerEvent(type, { bubbles: true, button: 0, clientX })

test('shows one toast at a time, announces it once and removes it after its timeout', async () => {
  await show({ title: 'First' })
  await pass(100)
  expect(announcement()?.getAttribute('aria-live')).toBe('polite')
  expect(announcement()?.textContent).toBe('Notification First')
  await show({ title: 'Second', description: 'It failed.', variant: 'danger' })
  await pass(100)
  expect(screen.queryAllByRole('listitem')).toHaveLength(1)
  expect(document.querySelectorAll('[role=status]')).toHaveLength(1)
  expect(announcement()?.getAttribute('aria-live')).toBe('assertive')
  expect(announcement()?.textContent).toBe('Notification Second It failed.')
  expect(card()?.closest('[aria-live]')?.getAttribute('aria-live')).toBe('off')
  await pass(toastDurationMs - 101)
  expect(card()).not.toBeNull()
  await pass(1)
  expect(card()).toBeNull()
})

function Tray() {
  return <output>{useToasts().history.map(({ title }) => title)}</output>
}

test('a shown toast is updated: announced again, with its time from the start, one entry in the tray', async () => {
  render(<Tray />)
  let id = 0
  await act(async () => void (id = showToast({ title: 'Requested' })))
  await pass(toastDurationMs - 1)
  await act(async () => void updateToast(id, { title: 'Taken', variant: 'success' }))
  await pass(100)
  expect(card()?.textContent).toBe('Taken')
  expect(announcement()?.textContent).toBe('Notification Taken')
  expect(document.querySelector('output')?.textContent).toBe('Taken')
  await pass(toastDurationMs - 101)
  expect(card()).not.toBeNull()
  await pass(1)
  expect(card()).toBeNull()
  // It is gone: what comes next is a new one.
  await act(async () => void updateToast(id, { title: 'Too late' }))
  expect(card()?.textContent).toBe('Too late')
  expect(document.querySelector('output')?.textContent).toBe('Too lateTaken')
})

test('pauses its timer while it is hovered or focused or the window is in the background', async () => {
  await show({ title: 'Read me' })
  const holds = [
    [() => send(card(), pointer('pointermove')), () => send(region(), pointer('pointerleave'))],
    [() => send(window, new Event('blur')), () => send(window, new Event('focus'))],
    [
      () => send(document, new KeyboardEvent('keydown', { code: 'F8', bubbles: true })),
      () => act(async () => button('Page').focus()),
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

test('a toast shown while the window is in the background waits until the window is visible', async () => {
  const focus = vi.spyOn(document, 'hasFocus').mockReturnValue(false)
  await show({ title: 'Read me' })
  await pass(60_000)
  expect(card()).not.toBeNull()
  focus.mockRestore()
  await send(window, new Event('focus'))
  await pass(toastDurationMs - 1)
  expect(card()).not.toBeNull()
  await pass(1)
  expect(card()).toBeNull()
})

test('the paused timer of a toast does not affect the next one', async () => {
  await show({ title: 'First', action: { label: 'Undo', onClick: () => showToast({ title: 'Taken back' }) } })
  await act(async () => button('Undo').focus())
  await press('Undo')
  expect(card()?.textContent).toBe('Taken back')
  await pass(toastDurationMs)
  expect(card()).toBeNull()

  await show({ title: 'Second' })
  await send(card(), pointer('pointermove'))
  await press('Close')
  await show({ title: 'Third' })
  await pass(toastDurationMs)
  expect(card()).toBeNull()
})

test('its button runs the action and closes it; Escape and the close button close it and restore the focus', async () => {
  const onClick = vi.fn()
  await show({ title: 'Archived', action: { label: 'Undo', onClick } })
  await press('Undo')
  expect(onClick).toHaveBeenCalledTimes(1)
  expect(card()).toBeNull()

  const page = button('Page')
  act(() => page.focus())
  await show({ title: 'Read me' })
  await send(document, new KeyboardEvent('keydown', { code: 'F8', bubbles: true }))
  expect(document.activeElement).toBe(card()?.parentElement)
  await act(async () => card()?.focus())
  await send(card(), new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
  expect(card()).toBeNull()
  expect(document.activeElement).toBe(page)

  await show({ title: 'Again' })
  await press('Close')
  expect(card()).toBeNull()
})

test('swiping it far enough to the right dismisses it; a shorter swipe snaps back', async () => {
  await show({ title: 'Push me' })
  const element = card()
  if (!element) throw new Error('no toast')
  // The test DOM has no pointer capture.
  Object.assign(element, { setPointerCapture: () => undefined, hasPointerCapture: () => false })
  const moved = () => element.style.getPropertyValue('--radix-toast-swipe-move-x')
  const push = async (by: number) => {
    await send(element, pointer('pointerdown', 100))
    await send(element, pointer('pointermove', 110))
    await send(element, pointer('pointermove', 100 + by))
    expect(moved()).toBe(`${by}px`)
    await send(element, pointer('pointerup', 100 + by))
  }
  await push(toastSwipePx)
  expect(card()).toBe(element)
  expect(moved()).toBe('')
  await push(toastSwipePx + 1)
  expect(card()).toBeNull()
})

test('Escape closes what has the focus: a drawer before the toast that came after it, which then still has its Undo', async () => {
  const onOpenChange = vi.fn()
  render(
    <Drawer open onOpenChange={onOpenChange} title="Job">
      <input aria-label="Search the log" />
    </Drawer>,
  )
  await pass(100)
  await show({ title: 'Archived', action: { label: 'Undo', onClick: () => undefined } })
  const field = screen.getByRole('textbox', { name: 'Search the log' })
  await act(async () => field.focus())
  await act(async () => void fireEvent.keyDown(field, { key: 'Escape' }))
  expect(onOpenChange.mock.calls).toEqual([[false]])
  expect(card()?.textContent).toContain('Undo')
})
