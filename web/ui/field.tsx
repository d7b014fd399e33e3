import { cx } from '#web/lib/cx.ts'
import { createContext, useContext, useId, type ReactNode } from 'react'

interface FieldWiring {
  id: string
  describedBy: string | undefined
  invalid: boolean
  required: boolean
}

const FieldContext = createContext<FieldWiring | null>(null)

/** What a control inside a `Field` puts on its element. Outside a field it is empty. */
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

/** Sign before an error text: the octagon of the "bad" tone. */
export function ErrorGlyph({ className }: { className?: string }) {
  return (
    <svg className={cx('shrink-0 text-m-bad', className ?? 'size-3.5')} viewBox="0 0 16 16" aria-hidden="true">
      <path d="M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2z" fill="currentColor" />
      <path
        d="M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4"
        stroke="var(--surface)"
        strokeWidth="1.75"
        fill="none"
        strokeLinecap="round"
      />
    </svg>
  )
}

/** Label, control, hint and error, tied together for screen readers. The error takes the hint's place. */
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
  /** On the label's line at the end, e.g. a link. */
  aside?: ReactNode
  /** Given when something else must find the control. */
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
          <ErrorGlyph className="mt-px size-3.5" />
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
