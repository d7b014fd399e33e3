import { X } from 'lucide-react'
import * as Radix from 'radix-ui/dialog'
import type { ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { scrimStyle } from './dialog-style.ts'
import { IconButton } from '../icon-button.tsx'
import { useReturnFocus } from './return-focus.ts'

/** Shared behavior of dialogs and drawers: backdrop, focus, Esc and outside clicks. */
export function DialogFrame({
  open,
  onOpenChange,
  described = false,
  className,
  children,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** Its content includes a `Description`. */
  described?: boolean
  /** Position and style. */
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

/** Actions at the lower edge of a `DialogFrame`, above the safe area of phones. */
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

/** Close button in the corner of a `DialogFrame`. */
export function CloseCross({ className }: { className: string }) {
  return (
    <Radix.Close asChild>
      <IconButton size="md" label={t('common.close')} className={className}>
        <X size={16} strokeWidth={1.75} />
      </IconButton>
    </Radix.Close>
  )
}
