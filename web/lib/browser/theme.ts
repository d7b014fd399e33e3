import { useSyncExternalStore } from 'react'

/** Where the choice is kept: 'true' or 'false' (docs/contracts/screens.md, section 4). */
const storageKey = 'darkMode'
const listeners = new Set<() => void>()

function stored(): boolean {
  try {
    return localStorage.getItem(storageKey) === 'true'
  } catch {
    // Storage is blocked: the choice lives as long as the page.
    return document.documentElement.classList.contains('dark')
  }
}

/** Whether the dark theme is on now. */
export function isDark(): boolean {
  return document.documentElement.classList.contains('dark')
}

/** Switches the theme and keeps the choice. */
export function setDark(dark: boolean): void {
  document.documentElement.classList.toggle('dark', dark)
  try {
    localStorage.setItem(storageKey, String(dark))
  } catch {
    // Storage is blocked: the class alone holds for this page.
  }
  for (const listener of listeners) listener()
}

/** Starts the theme: the stored choice (light without one), then every change of the operating system. */
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
