import { X } from 'lucide-react'
import * as Radix from 'radix-ui/dialog'
import type { ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { scrimStyle } from './dialog-style.ts'
import { IconButton } from '../icon-button.tsx'
import { useReturnFocus } from './return-focus.ts'

/** What dialogs and drawers have in common: the page behind them, the focus, Esc and a click outside. */
export function DialogFrame({
  open,
  onOpenChange,
  described = false,
  className,
  children,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** Its content has a `Description`. */
  described?: boolean
  /** Place and look. */
  className: string
  children: ReactNode
}) {
  const returnFocus = useReturnFocus()
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={scrimStyle} />
        <Radix.Content {...returnFocus} {...(!described && { 'aria-describedby': undefined })} className={className}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** The actions at the lower edge of a `DialogFrame`, clear of what phones have there. */
export function DialogFoot({ className, children }: { className: string; children: ReactNode }) {
  return (
    <div
      data-low
      className={cx(
        'flex flex-wrap gap-2 border-t px-5 py-3 max-md:pb-[calc(12px+env(safe-area-inset-bottom))]',
        className,
      )}
    >
      {children}
    </div>
  )
}

/** The cross in the corner of a `DialogFrame`. */
export function CloseCross({ className }: { className: string }) {
  return (
    <Radix.Close asChild>
      <IconButton size="md" label={t('common.close')} className={className}>
        <X size={16} strokeWidth={1.75} />
      </IconButton>
    </Radix.Close>
  )
}
