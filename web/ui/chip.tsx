import { cx } from '#web/lib/browser/cx.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { X } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { useOpenInView } from './use-open-in-view.ts'

/** A row of view chips above a list; scrolls if it is too long. */
export function ViewChips({ label, children }: { label: string; children: ReactNode }) {
  const row = useOpenInView('[aria-pressed=true]')
  return (
    <div
      ref={row}
      role="group"
      aria-label={label}
      className="tour-views mb-3 flex items-center gap-1 overflow-x-auto p-px [scrollbar-width:none]"
    >
      {children}
    </div>
  )
}

/** A view as a chip with its count; pressed if it is active. */
export function ViewChip({
  active,
  count,
  icon,
  children,
  ...rest
}: {
  active: boolean
  count?: number | null
  /** Before the label. */
  icon?: ReactNode
  children: ReactNode
} & Omit<ComponentProps<'button'>, 'children'>) {
  return (
    <button
      type="button"
      aria-pressed={active}
      className={cx(
        'inline-flex h-7 flex-none items-center gap-1.5 rounded-full border px-2.5 text-table font-medium whitespace-nowrap max-md:h-11 max-md:px-3.5',
        active ? 'border-border bg-surface text-fg shadow-xs' : 'border-transparent text-muted hover:bg-hover',
      )}
      {...rest}
    >
      {icon}
      {children}
      {count === null || count === undefined ? null : (
        <span className="font-normal text-muted">{formatNumber(count)}</span>
      )}
    </button>
  )
}

/** A filter in three parts: clicking it opens its editor, the cross removes it. */
export function FilterChip({
  field,
  operator,
  value,
  removeLabel,
  onRemove,
  body,
}: {
  field: string
  /** '' for conditions without an operator. */
  operator: string
  value: string
  /** Label of the cross. */
  removeLabel: string
  onRemove: () => void
  body: (content: ReactNode) => ReactNode
}) {
  const part = 'flex h-full items-center px-2'
  return (
    <span className="inline-flex h-8 flex-none items-stretch overflow-hidden rounded-ctl border border-border bg-surface text-table whitespace-nowrap shadow-xs max-md:h-11">
      {body(
        <>
          <span className={cx(part, 'text-muted')}>{field}</span>{' '}
          {operator === '' ? null : <span className={cx(part, 'border-l border-hairline text-muted')}>{operator}</span>}{' '}
          <span className={cx(part, 'max-w-56 border-l border-hairline font-medium')}>
            <span className="truncate">{value}</span>
          </span>
        </>,
      )}
      <button
        type="button"
        aria-label={removeLabel}
        onClick={onRemove}
        className="grid w-7 place-items-center border-l border-hairline text-muted hover:bg-hover max-md:w-11"
      >
        <X size={14} strokeWidth={1.75} aria-hidden="true" />
      </button>
    </span>
  )
}

/** A small count or word next to a heading. */
export function Tag({
  tone = 'off',
  children,
}: {
  tone?: 'off' | 'brand' | 'warn' | 'bad' | 'ok' | 'info'
  children: ReactNode
}) {
  const tones = {
    off: 'bg-off-bg text-off',
    brand: 'bg-brand-bg text-brand-text',
    warn: 'bg-warn-bg text-warn',
    bad: 'bg-bad-bg text-bad',
    ok: 'bg-ok-bg text-ok',
    info: 'bg-info-bg text-info',
  } as const
  return (
    <span
      className={cx(
        'inline-flex h-5 items-center gap-1 rounded-xs px-1.5 text-meta font-medium whitespace-nowrap',
        tones[tone],
      )}
    >
      {children}
    </span>
  )
}
