import * as Radix from 'radix-ui/hover-card'
import { cloneElement, useId, useRef, useState, type ReactElement, type ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { popStyle } from '../pop-style.ts'
import { openOnKeyboardFocusOnly } from './tooltip.tsx'

/** An element that takes a ref, native props and a description. */
export type Described = ReactElement<{ 'aria-describedby'?: string | undefined }>

/** How the pointer got over the link: `still` if the page moved under it, `due` if a card is waiting to open. */
type Pointer = 'moved' | 'still' | 'due'

/** See `../hover-card.tsx`. */
export function HoverCard({
  content,
  children,
}: {
  /** Rendered only while the card is open. */
  content: () => ReactNode
  /** The trigger, which gets the description. */
  children: Described
}) {
  const id = useId()
  const [open, setOpen] = useState(false)
  // Browsers also report an enter if the page scrolls or changes under a resting pointer. That must not open a card.
  const pointer = useRef<Pointer>('moved')

  return (
    <Radix.Root
      open={open}
      openDelay={700}
      closeDelay={300}
      onOpenChange={(next) => {
        if (next && pointer.current === 'still') pointer.current = 'due'
        else setOpen(next)
      }}
    >
      <Radix.Trigger
        asChild
        onPointerEnter={() => {
          pointer.current = 'still'
        }}
        onPointerMove={({ pointerType }) => {
          if (pointerType === 'touch') return
          if (pointer.current === 'due') setOpen(true)
          pointer.current = 'moved'
        }}
        onPointerLeave={() => {
          pointer.current = 'moved'
        }}
        onFocus={openOnKeyboardFocusOnly}
      >
        {cloneElement(children, { 'aria-describedby': open ? id : undefined })}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          id={id}
          role="tooltip"
          align="start"
          sideOffset={6}
          collisionPadding={8}
          // Escape closes only the card, not a selection or drawer behind it.
          onEscapeKeyDown={(event) => event.stopPropagation()}
          className={cx(popStyle, 'w-80 overflow-hidden text-table font-normal whitespace-normal text-fg')}
        >
          {content()}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
