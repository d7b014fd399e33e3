import { cx } from '#web/lib/cx.ts'

/** One choice of a segmented control. */
export interface Segment<Value extends string> {
  value: Value
  label: string
}

/** A few exclusive choices side by side; arrow keys move as in every radio group. */
export function Segmented<Value extends string>({
  name,
  label,
  segments,
  value,
  onChange,
}: {
  name: string
  label: string
  segments: readonly Segment<Value>[]
  value: Value
  onChange: (value: Value) => void
}) {
  return (
    <fieldset className="inline-flex h-8 rounded-ctl bg-sunken p-0.5 ring-1 ring-border ring-inset max-md:h-11">
      <legend className="sr-only">{label}</legend>
      {segments.map((segment) => (
        <label
          key={segment.value}
          className={cx(
            'flex cursor-pointer items-center gap-1.5 rounded-xs px-2.5 text-table font-medium has-focus-visible:outline-2 has-focus-visible:outline-ring',
            segment.value === value ? 'bg-surface text-fg shadow-xs ring-1 ring-border dark:bg-hover' : 'text-muted',
          )}
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={segment.value === value}
            onChange={() => onChange(segment.value)}
          />
          {segment.label}
        </label>
      ))}
    </fieldset>
  )
}
