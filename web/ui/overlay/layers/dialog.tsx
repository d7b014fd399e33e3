import { cx } from '#web/lib/browser/cx.ts'
import * as Radix from 'radix-ui/dialog'
import type { ReactNode } from 'react'
import { CloseCross, DialogFoot, DialogFrame } from './dialog-frame.tsx'
import { dialogBox } from '../dialog-style.ts'

/** See `../dialog.tsx`. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  width = 'md:w-[480px]',
  trapsFocus,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description?: ReactNode
  children?: ReactNode
  /** Buttons, with the primary one last. */
  footer?: ReactNode
  /** Width class. */
  width?: string
  /** See `DialogFrame`. */
  trapsFocus?: boolean
}) {
  return (
    <DialogFrame
      open={open}
      onOpenChange={onOpenChange}
      described={description !== undefined}
      className={cx(dialogBox, width)}
      {...(trapsFocus !== undefined && { trapsFocus })}
    >
      <div className="flex items-start gap-3 px-5 pt-4 pb-3">
        <div className="min-w-0 flex-1">
          <Radix.Title className="text-lead font-semibold tracking-[-0.012em]">{title}</Radix.Title>
          {description !== undefined && (
            <Radix.Description className="mt-0.5 text-table text-muted">{description}</Radix.Description>
          )}
        </div>
        <CloseCross className="-mr-1.5" />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 pb-4">{children}</div>
      {footer && <DialogFoot className="justify-end border-hairline">{footer}</DialogFoot>}
    </DialogFrame>
  )
}
