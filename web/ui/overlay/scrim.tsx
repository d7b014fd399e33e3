import { useEffect, useRef, type ComponentProps } from 'react'
import { scrimStyle } from './dialog-style.ts'

/** Scrims that lock the page. */
let locks = 0

/** Keeps the page behind where it is; returns how to end that. Where its scroll bar takes room it keeps its width. */
function lockPage(): () => void {
  const page = document.documentElement
  if (locks === 0) page.dataset['locked'] = innerWidth > page.clientWidth ? 'bar' : ''
  locks += 1
  return () => {
    locks -= 1
    if (locks === 0) delete page.dataset['locked']
  }
}

/**
 * Backdrop of a modal layer, directly in the layer's portal, which keeps it until its animation has ended. Not the library's own: that
 * adds a style sheet at each opening, for which the browser looks at all rules, and paints the page again before the layer is there.
 */
export function Scrim({ open, ...props }: { open: boolean } & ComponentProps<'div'>) {
  const unlock = useRef<(() => void) | null>(null)
  useEffect(() => {
    // Behind a layer whose page is locked already, at once.
    if (locks > 0) unlock.current ??= lockPage()
    return () => {
      unlock.current?.()
      unlock.current = null
    }
  }, [])
  return (
    <div
      {...props}
      data-state={open ? 'open' : 'closed'}
      className={scrimStyle}
      onAnimationEnd={() => {
        if (open) unlock.current ??= lockPage()
      }}
    />
  )
}
