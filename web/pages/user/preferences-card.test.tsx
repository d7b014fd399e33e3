import { act } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { User } from '#shared/doctypes/user.ts'
import { testRender } from '#web/lib/browser/test-render.ts'
import { shortcutsEnabled } from '#web/lib/browser/shortcuts.ts'
import { clearToasts, useToasts } from '#web/lib/browser/toasts.ts'
import { PreferencesCard } from './preferences-card.tsx'

const page = testRender()
const stored = vi.hoisted(() => ({
  value: undefined as unknown,
  set: (_: unknown): Promise<void> => Promise.resolve(),
}))
vi.mock('#web/lib/browser/use-preference.ts', () => ({
  usePreference: (key: string) =>
    key === 'single_keys' ? { ...stored, loaded: true } : { value: undefined, loaded: true, set: stored.set },
}))
vi.mock('#web/lib/api/frappe.tsx', () => ({ useDoc: () => ({ reload: () => Promise.resolve() }) }))

const user = { name: 'ann@acme.example', language: 'en', time_zone: null } as User

function Toasts() {
  return <output>{useToasts().history.map(({ title }) => title)}</output>
}
const draw = () =>
  act(() =>
    page.root.render(
      <>
        <PreferencesCard user={user} />
        <Toasts />
      </>,
    ),
  )
const tick = () => page.place.querySelector<HTMLInputElement>('input[type=checkbox]')

beforeEach(() => {
  localStorage.clear()
  clearToasts()
  stored.value = true
})

test('single keys are switched for the account, as the sheet of shortcuts does it', async () => {
  const sent: unknown[] = []
  stored.set = async (value) => {
    sent.push(value)
  }
  draw()
  expect(tick()?.checked).toBe(true)
  await act(async () => tick()?.click())
  expect(sent).toEqual([false])
  expect(shortcutsEnabled()).toBe(false)
})

test('another browser switched them off: the account says it here', () => {
  stored.value = false
  draw()
  expect(tick()?.checked).toBe(false)
  expect(shortcutsEnabled()).toBe(false)
})

test('what is not saved is said and taken back', async () => {
  stored.set = () => Promise.reject(new Error('Away'))
  draw()
  await act(async () => tick()?.click())
  expect(shortcutsEnabled()).toBe(true)
  expect(page.place.querySelector('output')?.textContent).toBe('The preference was not saved')
})
