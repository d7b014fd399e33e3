import { cloneElement, useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { cx } from '#web/lib/cx.ts'
import { placeUnder } from '#web/lib/place.ts'
import { NearLayer, type Described } from './near-layer.tsx'
import { popStyle } from './pop-style.ts'

/** Timings of specification section 9, in ms. Both for the pointer and for the keyboard's focus. */
const openDelayMs = 700
const closeDelayMs = 300

/**
 * A preview of what a link leads to, under the pointer and on keyboard focus; the pointer may rest on it, Escape closes
 * it. It holds nothing to press and nothing that is not on the linked page: fingers go without. Own code like `Tooltip`:
 * the library's brings its positioning into the page.
 */
export function HoverCard({
  content,
  children,
}: {
  /** Drawn only while the card is open. */
  content: () => ReactNode
  /** The link; it gets the description. */
  children: Described
}) {
  const id = useId()
  const holder = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [open, setOpen] = useState(false)

  /** The pointer has moved here: under one that lies still things come and go by themselves. */
  const moved = useRef(false)

  const later = (work: () => void, ms: number): void => {
    clearTimeout(timer.current)
    timer.current = setTimeout(work, ms)
  }
  const near = (): void => later(() => setOpen(true), openDelayMs)
  const far = (): void => later(() => setOpen(false), closeDelayMs)
  const close = (): void => {
    later(() => undefined, 0)
    setOpen(false)
  }
  useEffect(() => () => clearTimeout(timer.current), [])

  return (
    <span
      ref={holder}
      className="contents"
      onPointerMove={(event) => {
        if (event.pointerType !== 'mouse' || moved.current) return
        moved.current = true
        near()
      }}
      onPointerLeave={() => {
        moved.current = false
        far()
      }}
      onPointerDown={close}
      onFocus={(event) => {
        if (event.target.matches(':focus-visible')) near()
      }}
      onBlur={far}
    >
      {cloneElement(children, { 'aria-describedby': open ? id : undefined })}
      {open && (
        <NearLayer
          id={id}
          anchor={holder}
          place={(layer, at) => placeUnder(layer, at, 'start')}
          keepsEscape
          onClose={close}
          className={cx(
            popStyle,
            'fixed m-0 w-80 overflow-hidden p-0 text-table font-normal whitespace-normal text-fg',
          )}
        >
          {content()}
        </NearLayer>
      )}
    </span>
  )
}
