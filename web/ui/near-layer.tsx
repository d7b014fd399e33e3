import { useEffect, useRef, type ReactElement, type ReactNode, type RefObject } from 'react'

/** A control that takes the description of what floats beside it. */
export type Described = ReactElement<{ 'aria-describedby'?: string | undefined }>

/**
 * What floats beside a control and tells about it: on top of everything, placed once it is there. It goes by Escape and as
 * soon as something scrolls. `tooltip.tsx` and `hover-card.tsx` decide when it comes.
 */
export function NearLayer({
  id,
  anchor,
  place,
  keepsEscape = false,
  onClose,
  className,
  children,
}: {
  id: string
  /** Holds the control as its first element. */
  anchor: RefObject<HTMLElement | null>
  /** Puts the layer where it belongs for a control that stands at `at`. */
  place: (layer: HTMLElement, at: DOMRect) => void
  /** Whether Escape ends at this layer: what lies behind, a selection or a drawer, stays. */
  keepsEscape?: boolean
  onClose: () => void
  className: string
  children: ReactNode
}) {
  const layer = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const element = layer.current
    const control = anchor.current?.firstElementChild
    if (!element || !control) return
    element.showPopover()
    place(element, control.getBoundingClientRect())
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return
      if (keepsEscape) event.stopPropagation()
      onClose()
    }
    addEventListener('keydown', onKey, keepsEscape)
    addEventListener('scroll', onClose, true)
    return () => {
      removeEventListener('keydown', onKey, keepsEscape)
      removeEventListener('scroll', onClose, true)
    }
  })
  return (
    <span ref={layer} id={id} role="tooltip" popover="manual" data-state="open" className={className}>
      {children}
    </span>
  )
}
