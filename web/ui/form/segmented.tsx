import { useId } from 'react'
import { cx } from '#web/lib/browser/cx.ts'

/** A choice between a few short values, as joined buttons. A radio group: arrow keys move between them. */
export function Segmented<Value extends string>({
  label,
  hideLabel = false,
  hint,
  name,
  options,
  value,
  onChange,
}: {
  label: string
  /** What it is about is visible next to it. */
  hideLabel?: boolean
  hint?: string
  /** Of the field in its form; without one, it is no part of it. */
  name?: string
  options: readonly { value: Value; label: string }[]
  value: Value
  onChange: (value: Value) => void
}) {
  const own = useId()
  const hintId = useId()
  return (
    <fieldset aria-describedby={hint && hintId} className="min-w-0">
      <legend className={hideLabel ? 'sr-only' : 'mb-1.5 text-table font-medium'}>{label}</legend>
      <div
        className={cx(
          'flex rounded-ctl border border-border bg-sunken p-px',
          hideLabel ? 'h-8 max-md:h-11' : 'h-9 max-md:h-11',
        )}
      >
        {options.map((option) => (
          <label
            key={option.value}
            className={cx(
              'flex flex-1 cursor-pointer items-center justify-center rounded-[5px] border px-2.5 text-table font-medium whitespace-nowrap',
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-ring',
              option.value === value
                ? 'border-border bg-surface text-fg shadow-xs'
                : 'border-transparent text-muted hover:text-fg',
            )}
          >
            <input
              type="radio"
              name={name ?? own}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              className="sr-only"
            />
            {option.label}
          </label>
        ))}
      </div>
      {hint ? (
        <p id={hintId} className="mt-1.5 text-meta text-muted">
          {hint}
        </p>
      ) : null}
    </fieldset>
  )
}
