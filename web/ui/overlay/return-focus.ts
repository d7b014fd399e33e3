import { useRef } from 'react'

/**
 * Gives the focus back to whatever had it when a dialog opened. The library knows only its own trigger elements; most
 * of our dialogs are opened by state, a key or the address. Spread the result on the dialog's content.
 */
export function useReturnFocus(): { onOpenAutoFocus: () => void; onCloseAutoFocus: (event: Event) => void } {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement
    },
    onCloseAutoFocus: (event) => {
      event.preventDefault()
      // Gone meanwhile, or nothing in particular: the page's main region is the nearest sensible place.
      const target =
        opener.current?.isConnected && opener.current !== document.body
          ? opener.current
          : document.querySelector('main')
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
    },
  }
}
