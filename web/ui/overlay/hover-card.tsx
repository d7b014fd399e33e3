import * as Radix from 'radix-ui/hover-card'
import { cloneElement, useId, useRef, useState, type ReactElement, type ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { popStyle } from './pop-style.ts'
import { keyboardOnly } from './tooltip.tsx'

/** An element that takes a ref, the props of a native one, and a description. */
export type Described = ReactElement<{ 'aria-describedby'?: string | undefined }>

/** How the pointer came to be over the link: `still` when the page moved under it, and `due` when a card waits for that. */
type Pointer = 'moved' | 'still' | 'due'

/**
 * A preview of what a link leads to, 700 ms after the pointer or the keyboard's focus came to it and until 300 ms after
 * (docs/contracts/screens.md, section 9). It holds nothing to press and nothing that is not on the linked page: fingers go without.
 */
export function HoverCard({
  content,
  children,
}: {
  /** Rendered only while the card is open. */
  content: () => ReactNode
  /** The link; it gets the description. */
  children: Described
}) {
  const id = useId()
  const [open, setOpen] = useState(false)
  // Browsers report an enter also when the page scrolls or changes under a resting pointer: that must not open anything.
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
        onFocus={keyboardOnly}
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
          // Escape ends here: what lies behind, a selection or a drawer, stays.
          onEscapeKeyDown={(event) => event.stopPropagation()}
          className={cx(popStyle, 'w-80 overflow-hidden text-table font-normal whitespace-normal text-fg')}
        >
          {content()}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
