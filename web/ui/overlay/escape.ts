import type { KeyboardEvent } from 'react'

/**
 * Closes a layer that has the focus on Escape. The library closes the newest layer only, which may be a toast that came after it;
 * it prevents the default of what it has closed itself.
 */
export function closeOnEscape(close: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    close()
  }
}
