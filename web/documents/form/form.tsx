import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react'
import { Notice } from '#web/ui/notice.tsx'
import { FormField } from './form-field.tsx'
import { visibleNames } from './form-state.ts'
import { t } from './messages.ts'
import type { FormControl } from './use-form.ts'

/** Focuses the first field with an error; false if there is none to focus. */
export function focusFirstError(element: HTMLFormElement, { form, values, errors }: FormControl): boolean {
  // A field whose choices still load has nothing to focus yet; the next one has.
  const target = visibleNames(form, values)
    .filter((name) => errors[name] !== undefined)
    .map((name) => element.elements.namedItem(name))
    .map((found) => (found instanceof RadioNodeList ? found[0] : found))
    .find((found) => found instanceof HTMLElement)
  target?.focus()
  return target !== undefined
}

/**
 * Form element of a `useForm`. Enter in a field and Ctrl or ⌘ with Enter anywhere submit; a submission with errors focuses
 * the first one. Without children, it renders all visible fields in order. `label` names it where nothing around it does (a
 * dialog's title already does).
 */
export function DocForm({
  control,
  label,
  id,
  className,
  children,
}: {
  control: FormControl
  label?: string
  id?: string
  className?: string
  children?: ReactNode
}) {
  const element = useRef<HTMLFormElement>(null)
  const { tries } = control
  const focusFirst = useEffectEvent(() => {
    if (element.current) focusFirstError(element.current, control)
  })
  useEffect(() => {
    if (tries > 0) focusFirst()
  }, [tries])
  return (
    <form
      ref={element}
      id={id}
      aria-label={label}
      // Errors are shown at the fields; the browser's bubbles would repeat them.
      noValidate
      className={className ?? 'grid gap-4'}
      onSubmit={(event) => {
        event.preventDefault()
        void control.submit()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        void control.submit()
      }}
    >
      {children ?? (
        <>
          {visibleNames(control.form, control.values).map((name) => (
            <FormField key={name} control={control} name={name} />
          ))}
          <FormFailure control={control} />
        </>
      )}
    </form>
  )
}

/** Error that belongs to no field; announced immediately. */
export function FormFailure({ control }: { control: FormControl }) {
  if (!control.failure) return null
  return <Notice tone="bad">{control.failure}</Notice>
}

/** Notes that the draft survives a reload and offers to discard it. */
export function DraftNote({ control }: { control: FormControl }) {
  return (
    <span className="flex items-center gap-3 text-table text-muted">
      <span role="status">{control.draftKept ? t('form.draft') : ''}</span>
      {control.draftKept ? (
        <button type="button" className="link" onClick={control.reset}>
          {t('form.discard')}
        </button>
      ) : null}
    </span>
  )
}
