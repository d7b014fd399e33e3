import { cx } from '#web/lib/cx.ts'
import { X } from 'lucide-react'
import * as Radix from 'radix-ui/dialog'
import type { ReactNode } from 'react'
import { t } from '#web/lib/messages.ts'
import { dialogBox, scrimStyle } from './dialog-style.ts'
import { IconButton } from './icon-button.tsx'
import { useReturnFocus } from './return-focus.ts'

/** What `Dialog` draws. */
export function DialogPanel({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  width = 'md:w-[480px]',
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description?: ReactNode
  children?: ReactNode
  /** Buttons, the primary one last. */
  footer?: ReactNode
  /** Width class. */
  width?: string
}) {
  const returnFocus = useReturnFocus()
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={scrimStyle} />
        <Radix.Content
          {...returnFocus}
          className={cx(dialogBox, width)}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <div className="flex items-start gap-3 px-5 pt-4 pb-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-lead font-semibold tracking-[-0.012em]">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="mt-0.5 text-table text-muted">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton size="md" label={t('common.close')} className="-mr-1.5">
                <X size={16} strokeWidth={1.75} />
              </IconButton>
            </Radix.Close>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 pb-4">{children}</div>
          {footer && (
            <div
              data-low
              className="flex flex-wrap justify-end gap-2 border-t border-hairline px-5 py-3 max-md:pb-[calc(12px+env(safe-area-inset-bottom))]"
            >
              {footer}
            </div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
