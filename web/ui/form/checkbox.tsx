import { cx } from '#web/lib/browser/cx.ts'
import { useEffect, useId, useRef, type ComponentProps, type ReactNode } from 'react'
import { StatusMark } from '../images/status-marks.tsx'

const boxStyle =
  'peer col-start-1 row-start-1 size-4 appearance-none rounded-xs border border-input bg-surface checked:border-brand checked:bg-brand indeterminate:border-brand indeterminate:bg-brand disabled:opacity-50'

function Tick() {
  return (
    <svg
      className="pointer-events-none invisible relative col-start-1 row-start-1 size-3 text-on-brand peer-checked:visible"
      viewBox="0 0 12 12"
      fill="none"
      aria-hidden="true"
    >
      <path
        d="M2.2 6.4l2.6 2.5 5-5.6"
        stroke="currentColor"
        strokeWidth="1.9"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}

/**
 * A checkbox without visible label, for rows and their header: `label` is its accessible name. `some`: partially checked.
 * The whole target is clickable.
 */
export function RowCheckbox({
  label,
  some = false,
  className,
  ...props
}: Omit<ComponentProps<'input'>, 'type' | 'aria-label'> & { label: string; some?: boolean }) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (input.current) input.current.indeterminate = some && !props.checked
  }, [some, props.checked])
  return (
    <label className={cx('grid size-7 cursor-pointer place-items-center touch:size-11', className)}>
      <input {...props} ref={input} type="checkbox" aria-label={label} className={boxStyle} />
      <Tick />
      <svg
        className="pointer-events-none invisible relative col-start-1 row-start-1 size-3 text-on-brand peer-indeterminate:visible"
        viewBox="0 0 12 12"
        aria-hidden="true"
      >
        <path d="M2.5 6h7" stroke="currentColor" strokeWidth="1.9" strokeLinecap="round" />
      </svg>
    </label>
  )
}

/** A checkbox with its label. The whole line is clickable. */
export function Checkbox({
  label,
  hint,
  error,
  className,
  ...props
}: Omit<ComponentProps<'input'>, 'type'> & { label: ReactNode; hint?: ReactNode; error?: string | null }) {
  const generated = useId()
  const id = props.id ?? generated
  const noteId = `${id}-note`
  return (
    <div className={cx('grid gap-1', className)}>
      <div className="flex items-start gap-2.5">
        <span className="grid h-5 shrink-0 place-items-center touch:h-6">
          <input
            {...props}
            id={id}
            type="checkbox"
            aria-invalid={error ? true : undefined}
            aria-describedby={error || hint ? noteId : undefined}
            className={cx(boxStyle, error && 'border-m-bad')}
          />
          <Tick />
        </span>
        <label htmlFor={id} className="min-w-0 text-table leading-5 touch:py-0.5">
          {label}
        </label>
      </div>
      {(error || hint) && (
        <p
          id={noteId}
          role={error ? 'alert' : undefined}
          className={cx('flex gap-1.5 pl-6.5 text-meta', error ? 'text-bad' : 'text-muted')}
        >
          {error && <StatusMark tone="bad" size={14} className="mt-px" />}
          {error ?? hint}
        </p>
      )}
    </div>
  )
}
