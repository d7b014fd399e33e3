import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isDark, setDark, startTheme } from './theme.ts'

let systemChanged: (event: { matches: boolean }) => void
let stop: () => void

beforeEach(() => {
  localStorage.clear()
  document.documentElement.className = ''
  vi.stubGlobal('matchMedia', () => ({
    addEventListener: (_: string, listener: typeof systemChanged) => (systemChanged = listener),
    removeEventListener: () => undefined,
  }))
})
afterEach(() => {
  stop()
  vi.unstubAllGlobals()
})

test('is light by default', () => {
  stop = startTheme()
  expect(isDark()).toBe(false)
})
test('uses the stored choice', () => {
  localStorage.setItem('darkMode', 'true')
  stop = startTheme()
  expect(document.documentElement.classList.contains('dark')).toBe(true)
})
test('stores the choice as true or false', () => {
  stop = startTheme()
  setDark(true)
  expect([isDark(), localStorage.getItem('darkMode')]).toEqual([true, 'true'])
  setDark(false)
  expect([isDark(), localStorage.getItem('darkMode')]).toEqual([false, 'false'])
})
test('follows the operating system and stores its changes', () => {
  stop = startTheme()
  systemChanged({ matches: true })
  expect([isDark(), localStorage.getItem('darkMode')]).toEqual([true, 'true'])
})
