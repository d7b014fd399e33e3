import * as Radix from 'radix-ui/popover'
import { cx } from '#web/lib/cx.ts'
import type { PopoverProps } from './popover.tsx'
import { popStyle } from './pop-style.ts'

/** A popover with its code at hand; use `Popover`. */
export function PopoverPanel({
  trigger,
  label,
  open,
  onOpenChange,
  align = 'start',
  children,
}: Omit<PopoverProps, 'needs'>) {
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
