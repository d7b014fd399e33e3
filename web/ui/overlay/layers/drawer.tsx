import { cx } from '#web/lib/browser/cx.ts'
import * as Radix from 'radix-ui/dialog'
import type { ReactNode } from 'react'
import { CloseCross, DialogFoot, DialogFrame } from './dialog-frame.tsx'

/** See `../drawer.tsx`. */
export function Drawer({
  open,
  onOpenChange,
  title,
  head,
  children,
  footer,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  /** Below the title, inside the header. */
  head?: ReactNode
  children: ReactNode
  footer?: ReactNode
}) {
  return (
    <DialogFrame
      open={open}
      onOpenChange={onOpenChange}
      className={cx(
        'side-sheet fixed z-50 flex touch-pinch-zoom flex-col bg-raised shadow-drawer outline-none',
        'inset-y-0 right-0 w-[560px] max-md:inset-x-0 max-md:top-14 max-md:bottom-0 max-md:w-auto max-md:overflow-hidden max-md:rounded-t-sheet',
      )}
    >
      <div className="border-b border-border px-5 py-4">
        <div className="flex items-start gap-3">
          <Radix.Title className="min-w-0 flex-1 text-lead font-semibold tracking-[-0.012em] wrap-anywhere">
            {title}
          </Radix.Title>
          <CloseCross className="-mt-0.5 -mr-1.5" />
        </div>
        {head}
      </div>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto overscroll-contain">{children}</div>
      {footer && <DialogFoot className="items-center border-border">{footer}</DialogFoot>}
    </DialogFrame>
  )
}
