import { useSyncExternalStore } from 'react'

/** Storage key of the choice, 'true' or 'false' (docs/contracts/screens.md, section 4). */
const storageKey = 'darkMode'
const listeners = new Set<() => void>()

function stored(): boolean {
  try {
    return localStorage.getItem(storageKey) === 'true'
  } catch {
    // Storage is blocked: the choice lasts until the page unloads.
    return document.documentElement.classList.contains('dark')
  }
}

/** Whether the dark theme is on. */
export function isDark(): boolean {
  return document.documentElement.classList.contains('dark')
}

/** Switches the theme and stores the choice. */
export function setDark(dark: boolean): void {
  document.documentElement.classList.toggle('dark', dark)
  try {
    localStorage.setItem(storageKey, String(dark))
  } catch {
    // Storage is blocked: only the class holds the choice for this page.
  }
  for (const listener of listeners) listener()
}

/** Applies the stored theme (default light), then follows every change of the operating system. */
export function startTheme(): () => void {
  document.documentElement.classList.toggle('dark', stored())
  const system = matchMedia('(prefers-color-scheme: dark)')
  const onSystem = (event: MediaQueryListEvent): void => setDark(event.matches)
  const onOtherTab = (event: StorageEvent): void => {
    if (event.key === storageKey) setDark(event.newValue === 'true')
  }
  system.addEventListener('change', onSystem)
  addEventListener('storage', onOtherTab)
  return () => {
    system.removeEventListener('change', onSystem)
    removeEventListener('storage', onOtherTab)
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The theme in a component: `dark` and `toggle`. */
export function useTheme(): { dark: boolean; toggle: () => void } {
  const dark = useSyncExternalStore(subscribe, isDark)
  return { dark, toggle: () => setDark(!isDark()) }
}
