import { cx } from '#web/lib/browser/cx.ts'
import { StatusMark } from '../images/status-marks.tsx'
import { createContext, useContext, useId, type ReactNode } from 'react'

interface FieldContextValue {
  id: string
  describedBy: string | undefined
  invalid: boolean
  required: boolean
}

const FieldContext = createContext<FieldContextValue | null>(null)

/** Props that a `Field` gives its control. Empty outside of a field. */
export function useFieldProps(): {
  id?: string
  'aria-describedby'?: string | undefined
  'aria-invalid'?: boolean | undefined
  'aria-required'?: boolean | undefined
} {
  const field = useContext(FieldContext)
  if (!field) return {}
  return {
    id: field.id,
    'aria-describedby': field.describedBy,
    'aria-invalid': field.invalid || undefined,
    'aria-required': field.required || undefined,
  }
}

/** Icon before an error text. */
export function ErrorIcon({ className }: { className?: string }) {
  return <StatusMark tone="bad" size={14} className={className} />
}

/** Label, control, hint and error, associated for screen readers. The error replaces the hint. */
export function Field({
  label,
  hint,
  error,
  required = false,
  aside,
  id,
  className,
  children,
}: {
  label: ReactNode
  hint?: ReactNode
  error?: string | null | undefined
  required?: boolean
  /** At the end of the label's line, e.g. a link. */
  aside?: ReactNode
  /** Set if other code needs to find the control. */
  id?: string
  className?: string
  children: ReactNode
}) {
  const generated = useId()
  const control = id ?? generated
  const noteId = `${control}-note`
  return (
    <div className={cx('grid content-start gap-1.5', className)}>
      <div className="flex items-center gap-2">
        <label htmlFor={control} className="text-table font-medium">
          {label}
        </label>
        {aside && <span className="ml-auto text-table">{aside}</span>}
      </div>
      <FieldContext
        value={{ id: control, describedBy: error || hint ? noteId : undefined, invalid: Boolean(error), required }}
      >
        {children}
      </FieldContext>
      {error ? (
        <p id={noteId} role="alert" className="flex items-start gap-1.5 text-meta text-bad">
          <ErrorIcon className="mt-px" />
          <span className="min-w-0">{error}</span>
        </p>
      ) : (
        hint && (
          <p id={noteId} className="text-meta text-muted">
            {hint}
          </p>
        )
      )}
    </div>
  )
}
