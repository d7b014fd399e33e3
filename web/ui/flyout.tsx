import { useEffect, useEffectEvent, useRef, type ComponentProps, type ReactNode } from 'react'
import { cx } from '#web/lib/cx.ts'
import { placeUnder } from '#web/lib/place.ts'

/**
 * A button with a panel under it in the browser's top layer. Esc, a press outside and moving the focus away close it;
 * Esc and choosing give the focus back to the button. For the shell: a few lines instead of a positioning engine.
 */
export function Flyout({
  open,
  onOpenChange,
  label,
  role,
  align = 'end',
  button,
  panelClassName,
  children,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** Name of the panel. */
  label: string
  role: 'dialog' | 'menu'
  align?: 'start' | 'end'
  /** Props and content of the button. */
  button: ComponentProps<'button'>
  panelClassName: string
  children: ReactNode
}) {
  const trigger = useRef<HTMLButtonElement>(null)
  return (
    <>
      <button
        {...button}
        ref={trigger}
        type="button"
        aria-haspopup={role}
        aria-expanded={open}
        data-state={open ? 'open' : 'closed'}
        onClick={() => onOpenChange(!open)}
      />
      {open && (
        <Panel
          trigger={() => trigger.current}
          label={label}
          role={role}
          align={align}
          className={panelClassName}
          onClose={() => onOpenChange(false)}
        >
          {children}
        </Panel>
      )}
    </>
  )
}

const focusable = 'a[href], button:not(:disabled), input:not(:disabled), [tabindex="0"]'

function Panel({
  trigger,
  label,
  role,
  align,
  className,
  onClose,
  children,
}: {
  trigger: () => HTMLButtonElement | null
  label: string
  role: 'dialog' | 'menu'
  align: 'start' | 'end'
  className: string
  onClose: () => void
  children: ReactNode
}) {
  const panel = useRef<HTMLDivElement>(null)
  const close = useEffectEvent(onClose)
  const place = useEffectEvent(() => {
    const box = trigger()?.getBoundingClientRect()
    if (panel.current && box) placeUnder(panel.current, box, align)
  })

  useEffect(() => {
    const element = panel.current
    if (!element) return
    const opener = trigger()
    element.showPopover()
    place()
    const first = element.querySelector<HTMLElement>(focusable)
    ;(first ?? element).focus({ preventScroll: true })

    const isOutside = (target: EventTarget | null): boolean =>
      target instanceof Node && !element.contains(target) && !opener?.contains(target)
    const onPointer = (event: PointerEvent): void => {
      if (isOutside(event.target)) close()
    }
    const onFocus = (event: FocusEvent): void => {
      if (isOutside(event.target)) close()
    }
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      event.preventDefault()
      opener?.focus()
      close()
    }
    const resize = new ResizeObserver(() => place())
    resize.observe(element)
    const onResize = (): void => place()
    document.addEventListener('pointerdown', onPointer, true)
    document.addEventListener('focusin', onFocus)
    // Wherever the focus is: what had it may be gone with a narrower window.
    document.addEventListener('keydown', onKey)
    addEventListener('resize', onResize)
    return () => {
      resize.disconnect()
      document.removeEventListener('pointerdown', onPointer, true)
      document.removeEventListener('focusin', onFocus)
      document.removeEventListener('keydown', onKey)
      removeEventListener('resize', onResize)
      // Closed by choosing something: the focus was inside and would be lost with the panel.
      if (element.contains(document.activeElement)) opener?.focus()
    }
    // The opener is the same element for the panel's whole life.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])

  return (
    <div
      ref={panel}
      role={role}
      aria-label={label}
      popover="manual"
      tabIndex={-1}
      data-state="open"
      className={cx(
        'pop fixed m-0 overflow-y-auto rounded-pop border border-border bg-raised text-fg shadow-pop outline-none',
        className,
      )}
    >
      {children}
    </div>
  )
}
