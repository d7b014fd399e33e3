import { cx } from '#web/lib/browser/cx.ts'
import { useId, type ComponentProps, type ReactNode } from 'react'

/** A radio group of cards, with arrow key navigation. */
export function RadioCards({
  legend,
  className,
  children,
  error,
  aside,
}: {
  /** Legend of the group. */
  legend: ReactNode
  className?: string
  /** At the end of the legend's line, on phones below it. */
  aside?: ReactNode
  children: ReactNode
  error?: string | null
}) {
  const errorId = useId()
  return (
    <fieldset aria-describedby={error ? errorId : undefined} className="min-w-0">
      <legend className={aside ? 'sr-only' : 'mb-1.5 text-table font-medium'}>{legend}</legend>
      {/* Nothing can be beside a legend. */}
      {aside && (
        <div className="mb-1.5 flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5 text-table font-medium">
          <span aria-hidden="true">{legend}</span>
          <div className="max-md:basis-full">{aside}</div>
        </div>
      )}
      <div className={cx('grid gap-3', className)}>{children}</div>
      {error && (
        <p id={errorId} role="alert" className="mt-1.5 text-meta text-bad">
          {error}
        </p>
      )}
    </fieldset>
  )
}

/** One option: image, name, one-line description. Disabled ones show the reason. */
export function RadioCard({
  title,
  description,
  icon,
  aside,
  disabledReason,
  plain = false,
  className,
  ...props
}: Omit<ComponentProps<'input'>, 'type' | 'title'> & {
  title: ReactNode
  description?: ReactNode
  icon?: ReactNode
  /** At the end of the title's line. */
  aside?: ReactNode
  disabledReason?: string | null
  /** Without the circle: the border alone shows which one is chosen. */
  plain?: boolean
}) {
  const id = useId()
  const disabled = Boolean(disabledReason) || props.disabled
  return (
    <label
      className={cx(
        'relative flex min-w-0 gap-3 rounded-card border border-border bg-surface p-3 shadow-xs',
        'has-checked:border-brand has-checked:bg-[color-mix(in_oklab,var(--brand-bg)_45%,var(--surface))] has-checked:shadow-[0_0_0_1px_var(--brand)]',
        'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring',
        disabled ? 'cursor-not-allowed bg-sunken text-muted shadow-none' : 'cursor-pointer hover:border-m-quiet',
        className,
      )}
    >
      {icon}
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2">
          <span className="font-semibold tracking-[-0.006em]">{title}</span>
          {aside && <span className="ml-auto text-table text-muted">{aside}</span>}
        </span>
        {(disabledReason || description) && (
          <span id={id} className="mt-0.5 block text-table text-muted">
            {disabledReason ?? description}
          </span>
        )}
      </span>
      <input
        {...props}
        type="radio"
        disabled={disabled}
        aria-describedby={disabledReason || description ? id : undefined}
        className={
          plain
            ? 'sr-only'
            : 'mt-0.5 size-4 shrink-0 appearance-none rounded-full border border-input bg-surface outline-none checked:border-[5px] checked:border-brand checked:bg-on-brand'
        }
      />
    </label>
  )
}
