import { cx } from '#web/lib/browser/cx.ts'
import type { ComponentProps, ReactNode } from 'react'

/** A white box with one subject. */
export function Card({ className, ...props }: ComponentProps<'section'>) {
  return (
    <section {...props} className={cx('min-w-0 rounded-card border border-border bg-surface shadow-xs', className)} />
  )
}

/** Header of a card, 48 high: title, grey secondary text, actions at the end. `lined` adds a hairline below. */
export function CardHead({
  title,
  subtitle,
  children,
  lined = false,
  id,
}: {
  title: ReactNode
  subtitle?: ReactNode
  children?: ReactNode
  lined?: boolean
  /** For `aria-labelledby` of the card. */
  id?: string
}) {
  return (
    <div
      className={cx(
        'flex min-h-12 flex-wrap items-center gap-x-2 gap-y-1 px-4 py-1 max-md:py-2.5',
        lined && 'border-b border-hairline',
      )}
    >
      {/* A long secondary text wraps below the title, rather than the actions below it. */}
      <div className="flex min-w-0 flex-[1_1_120px] flex-wrap items-center gap-x-2">
        <h2 id={id}>{title}</h2>
        {subtitle !== undefined && <span className="text-meta text-muted">{subtitle}</span>}
      </div>
      {children && (
        // "All" is narrower than a fingertip.
        <div className="ml-auto flex items-center gap-2 text-table [&_.link]:inline-flex [&_.link]:min-h-6 [&_.link]:min-w-6 [&_.link]:items-center [&_.link]:justify-end">
          {children}
        </div>
      )}
    </div>
  )
}

/** A card's content below its header. */
export function CardBody({ className, ...props }: ComponentProps<'div'>) {
  return <div {...props} className={cx('min-w-0 px-4 pb-4', className)} />
}
