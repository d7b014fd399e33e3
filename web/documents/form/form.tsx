import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react'
import { Notice } from '#web/ui/notice.tsx'
import { FormField } from './form-field.tsx'
import { askedNames } from './form-state.ts'
import { t } from '../messages.ts'
import type { FormControl } from './use-form.ts'

/**
 * The form element of a `useForm`: Enter in a field and Ctrl or ⌘ with Enter anywhere submit; a try with mistakes
 * focuses the first of them. Without children it draws every asked field in order. `label` names it where nothing
 * around it does (a dialog's title already does).
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
    const first = askedNames(control.form, control.values).find((name) => control.errors[name] !== undefined)
    const found = first === undefined ? null : element.current?.elements.namedItem(first)
    const target = found instanceof RadioNodeList ? found[0] : found
    if (target instanceof HTMLElement) target.focus()
  })
  useEffect(() => {
    if (tries > 0) focusFirst()
  }, [tries])
  return (
    <form
      ref={element}
      id={id}
      aria-label={label}
      // Our own words appear at the fields; the browser's bubbles would say it twice.
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
          {askedNames(control.form, control.values).map((name) => (
            <FormField key={name} control={control} name={name} />
          ))}
          <FormFailure control={control} />
        </>
      )}
    </form>
  )
}

/** What went wrong that belongs to no field; read out at once. */
export function FormFailure({ control }: { control: FormControl }) {
  if (!control.failure) return null
  return <Notice tone="bad">{control.failure}</Notice>
}

/** Says that the draft survives a reload, and offers to drop it. */
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
