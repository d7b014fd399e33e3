import { cloneElement, useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { placeBeside, type Side } from '#web/lib/place.ts'
import { NearLayer, type Described } from './near-layer.tsx'

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
  children: Described
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
        <NearLayer
          id={id}
          anchor={holder}
          place={(layer, at) => placeBeside(layer, at, side)}
          onClose={close}
          className="pop fixed m-0 max-w-72 rounded-ctl bg-fg px-2 py-1 text-meta font-normal text-bg shadow-pop"
        >
          {content}
        </NearLayer>
      )}
    </span>
  )
}
