import { cx } from '#web/lib/cx.ts'
import { Popover as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { popStyle } from './menu.tsx'

/** A small panel at its trigger; Escape and a press outside close it, focus goes back to the trigger. */
export function Popover({
  trigger,
  label,
  open,
  onOpenChange,
  align = 'start',
  children,
}: {
  trigger: ReactNode
  label: string
  open: boolean
  onOpenChange: (open: boolean) => void
  align?: 'start' | 'end'
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
          className={cx(popStyle, 'w-72 max-w-[calc(100vw-24px)] p-3 text-table outline-none')}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
