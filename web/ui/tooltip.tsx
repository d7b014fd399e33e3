import {
  cloneElement,
  useEffect,
  useId,
  useRef,
  useState,
  type ReactElement,
  type ReactNode,
  type RefObject,
} from 'react'
import { placeBeside, type Side } from '#web/lib/place.ts'

/** Timings of specification section 9: the first waits, the next within the skip time does not. */
const openDelayMs = 700
const skipDelayMs = 300
/** Time to move the pointer from the control onto the tooltip. */
const graceMs = 120

let lastClosedAt = 0

/**
 * A word about a control on hover and keyboard focus; Esc closes it, the pointer may rest on it. Never the only place
 * where something is said. Own code: the library's brings a positioning engine of 20 kB into the shell.
 */
export function Tooltip({
  content,
  side = 'bottom',
  children,
}: {
  content: ReactNode
  side?: Side
  /** One element; it gets the description. */
  children: ReactElement<{ 'aria-describedby'?: string | undefined }>
}) {
  const id = useId()
  const holder = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [open, setOpen] = useState(false)

  const later = (next: boolean, ms: number): void => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      if (!next) lastClosedAt = Date.now()
      setOpen(next)
    }, ms)
  }
  const close = (): void => later(false, 0)
  useEffect(() => () => clearTimeout(timer.current), [])

  return (
    <span
      ref={holder}
      className="contents"
      onPointerEnter={(event) => {
        if (event.pointerType === 'mouse') later(true, Date.now() - lastClosedAt < skipDelayMs ? 0 : openDelayMs)
      }}
      onPointerLeave={() => later(false, graceMs)}
      onPointerDown={close}
      onFocus={(event) => {
        if (event.target.matches(':focus-visible')) later(true, 0)
      }}
      onBlur={close}
    >
      {cloneElement(children, { 'aria-describedby': open ? id : undefined })}
      {open && (
        <Bubble id={id} anchor={holder} side={side} onClose={close}>
          {content}
        </Bubble>
      )}
    </span>
  )
}

function Bubble({
  id,
  anchor,
  side,
  onClose,
  children,
}: {
  id: string
  anchor: RefObject<HTMLElement | null>
  side: Side
  onClose: () => void
  children: ReactNode
}) {
  const bubble = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const element = bubble.current
    const control = anchor.current?.firstElementChild
    if (!element || !control) return
    element.showPopover()
    placeBeside(element, control.getBoundingClientRect(), side)
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') onClose()
    }
    addEventListener('keydown', onKey)
    addEventListener('scroll', onClose, true)
    return () => {
      removeEventListener('keydown', onKey)
      removeEventListener('scroll', onClose, true)
    }
  })
  return (
    <span
      ref={bubble}
      id={id}
      role="tooltip"
      popover="manual"
      data-state="open"
      className="pop fixed m-0 max-w-72 rounded-ctl bg-fg px-2 py-1 text-meta font-normal text-bg shadow-pop"
    >
      {children}
    </span>
  )
}
