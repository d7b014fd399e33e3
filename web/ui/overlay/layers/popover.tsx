import * as Radix from 'radix-ui/popover'
import { Suspense, type ReactElement, type ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { LazyBoundary } from '../../lazy-boundary.tsx'
import { Spinner } from '../../spinner.tsx'
import { closeOnEscape } from '../escape.ts'
import { popStyle } from '../pop-style.ts'
import { keepMovedFocus } from '../return-focus.ts'

/** See `../popover.tsx`. */
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
          onCloseAutoFocus={keepMovedFocus}
          onKeyDown={closeOnEscape(() => onOpenChange(false))}
          className={cx(popStyle, 'outline-none', className)}
        >
          <LazyBoundary level="part">
            <Suspense fallback={<Loading />}>{children}</Suspense>
          </LazyBoundary>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

function Loading() {
  return (
    <output className="block p-3" aria-label={t('common.loading')}>
      <Spinner className="late size-4 text-muted" />
    </output>
  )
}
