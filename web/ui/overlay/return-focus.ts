import { useRef } from 'react'

/**
 * `onCloseAutoFocus` of layers that return the focus to their trigger: it stays where the user has moved it meanwhile. A layer
 * closes only after its animation, and returning the focus then would close the menu that was opened during it.
 */
export function keepMovedFocus(event: Event): void {
  if (document.activeElement && document.activeElement !== document.body) event.preventDefault()
}

/** The element itself, or the button that opened the menu it is in: items of a menu are gone when a dialog that they opened closes. */
function lasting(element: Element | null): Element | null {
  const menu = element?.closest('[role="menu"]')
  const button = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : null
  return button ? lasting(button) : element
}

/**
 * Returns the focus to the element that had it when a dialog opened. The library only knows its own trigger elements, but
 * most of our dialogs are opened by state, a shortcut or the URL. Spread the result on the dialog's content.
 */
export function useReturnFocus(): { onOpenAutoFocus: () => void; onCloseAutoFocus: (event: Event) => void } {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: () => {
      opener.current = lasting(document.activeElement)
    },
    onCloseAutoFocus: (event) => {
      keepMovedFocus(event)
      if (event.defaultPrevented) return
      event.preventDefault()
      // The opener was removed or was the body: focus the page's main region.
      const target =
        opener.current?.isConnected && opener.current !== document.body
          ? opener.current
          : document.querySelector('main')
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
    },
  }
}
