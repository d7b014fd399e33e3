import * as Radix from 'radix-ui/popover'
import type { ReactElement, ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { popStyle } from './pop-style.ts'

/** A popover at its trigger. Escape and an outside click close it; focus returns to the trigger. */
export function Popover({
  trigger,
  label,
  open,
  onOpenChange,
  align = 'start',
  className = 'w-72 max-w-[calc(100vw-24px)] p-3 text-table',
  children,
}: {
  /** One element that takes a ref and the props of a native button (Button, IconButton). */
  trigger: ReactElement
  label: string
  open: boolean
  onOpenChange: (open: boolean) => void
  align?: 'start' | 'end'
  /** Size and padding. */
  className?: string
  children: ReactNode
}) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          role="dialog"
          aria-label={label}
          align={align}
          sideOffset={4}
          collisionPadding={12}
          className={cx(popStyle, 'outline-none', className)}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
