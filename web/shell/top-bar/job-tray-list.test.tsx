import { act } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { testRender, eventually } from '#web/lib/browser/test-render.ts'
import type { Loaded } from '#web/lib/api/frappe.tsx'
import { MemoryRouter } from 'react-router'
import { clearToasts, dismissToast, showToast } from '#web/lib/browser/toasts.ts'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { JobTrayList, type TrayJob } from './job-tray-list.tsx'

const page = testRender()
afterEach(() => act(clearToasts))

const noJobs: Loaded<TrayJob[]> = {
  data: [],
  error: null,
  isLoading: false,
  isSlow: false,
  isValidating: false,
  loadedAt: 0,
  reload: () => Promise.resolve(),
}
const closed = vi.fn()
const draw = (): void =>
  act(() =>
    page.root.render(
      <MemoryRouter>
        <div id="tray">
          <JobTrayList jobs={noJobs} onClose={closed} />
        </div>
        <ToastArea />
      </MemoryRouter>,
    ),
  )
const entries = (): (string | null)[] => [...page.place.querySelectorAll('#tray li')].map((one) => one.textContent)
const button = (name: string): HTMLElement | null => page.place.querySelector(`#tray button[aria-label="${name}"]`)

it('keeps what was said, with the way back where that overwrites nothing later', () => {
  draw()
  const undo = vi.fn()
  act(() => {
    showToast({ title: 'Role changed', action: { label: 'Undo', onClick: () => undefined } })
    showToast({ title: 'Key removed', action: { label: 'Undo', onClick: undo, lasting: true } })
    showToast({ title: 'Saved' })
    dismissToast()
  })
  expect(entries()).toEqual([
    expect.stringMatching(/^Saved/),
    expect.stringMatching(/^Key removedUndo/),
    expect.stringMatching(/^Role changed(?!Undo)/),
  ])
  expect(button('Undo: Role changed')).toBeNull()
  act(() => button('Undo: Key removed')?.click())
  expect(undo).toHaveBeenCalledOnce()
  expect(closed).toHaveBeenCalledOnce()
  // Already undone, so undo isn't offered again.
  expect(button('Undo: Key removed')).toBeNull()
  expect(entries()).toHaveLength(3)
})

it('what the toast itself took back is not offered again', async () => {
  draw()
  const undo = vi.fn()
  act(() => void showToast({ title: 'Key removed', action: { label: 'Undo', onClick: undo, lasting: true } }))
  expect(button('Undo: Key removed')).not.toBeNull()
  const onToast = () => page.place.querySelector<HTMLElement>('[role=region] button')
  await eventually(() => expect(onToast()).not.toBeNull())
  act(() => onToast()?.click())
  expect(undo).toHaveBeenCalledOnce()
  expect(button('Undo: Key removed')).toBeNull()
  expect(entries()).toHaveLength(1)
})
