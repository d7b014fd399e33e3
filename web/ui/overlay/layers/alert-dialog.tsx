import { cx } from '#web/lib/browser/cx.ts'
import * as Radix from 'radix-ui/alert-dialog'
import { useRef, useState, type ReactNode } from 'react'
import { t } from '#web/lib/i18n/messages.ts'
import { Button } from '../../button.tsx'
import { dialogBox } from '../dialog-style.ts'
import { Field } from '../../form/field.tsx'
import { Input } from '../../form/input.tsx'
import { closeOnEscape } from '../escape.ts'
import { useReturnFocus } from '../return-focus.ts'
import { Scrim } from '../scrim.tsx'

/** See `../alert-dialog.tsx`. */
export function AlertDialog({
  open,
  onOpenChange,
  title,
  children,
  confirmLabel,
  cancelLabel,
  confirmName,
  danger = true,
  error,
  onConfirm,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** Verb and object: "Delete blog?" */
  title: ReactNode
  /** What happens, with counts. */
  children?: ReactNode
  /** The verb again. */
  confirmLabel: string
  /** Defaults to Cancel. */
  cancelLabel?: string
  confirmName?: string | null
  danger?: boolean
  error?: string | null
  /** Called with the typed text ('' without `confirmName`). */
  onConfirm: (typed: string) => Promise<void> | void
}) {
  const returnFocus = useReturnFocus()
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [missing, setMissing] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const matches = !confirmName || typed === confirmName

  const change = (next: boolean): void => {
    if (busy) return
    setTyped('')
    setMissing(false)
    onOpenChange(next)
  }
  const confirm = async (): Promise<void> => {
    if (busy || !matches) return
    setBusy(true)
    try {
      await onConfirm(typed)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Radix.Root open={open} onOpenChange={change}>
      <Radix.Portal>
        <Scrim open={open} />
        <Radix.Content
          {...returnFocus}
          onKeyDown={closeOnEscape(() => change(false))}
          onOpenAutoFocus={(event) => {
            returnFocus.onOpenAutoFocus()
            // The library focuses Cancel; a name is typed first.
            if (field.current) {
              event.preventDefault()
              field.current.focus()
            }
          }}
          className={cx(dialogBox, 'md:w-[440px]')}
          {...(!children && { 'aria-describedby': undefined })}
        >
          <form
            className="contents"
            onSubmit={(event) => {
              event.preventDefault()
              void confirm()
            }}
          >
            <div className="min-h-0 overflow-y-auto overscroll-contain px-5 pt-5 pb-4">
              <Radix.Title className="text-lead font-semibold tracking-[-0.012em]">{title}</Radix.Title>
              {children && (
                <Radix.Description asChild>
                  <div className="mt-1.5 text-table text-muted">{children}</div>
                </Radix.Description>
              )}
              {confirmName && (
                <Field
                  className="mt-4"
                  label={t('common.type_to_confirm', { name: confirmName })}
                  error={missing ? t('common.name_differs') : null}
                >
                  <Input
                    ref={field}
                    value={typed}
                    autoComplete="off"
                    autoCapitalize="off"
                    spellCheck={false}
                    onChange={(event) => {
                      setTyped(event.target.value)
                      setMissing(false)
                    }}
                    onKeyDown={(event) => {
                      // The button is off, so that Enter submits nothing.
                      if (event.key === 'Enter' && !matches) setMissing(true)
                    }}
                  />
                </Field>
              )}
              {error && (
                <p role="alert" className="mt-3 text-table text-bad">
                  {error}
                </p>
              )}
            </div>
            <div
              data-low
              className="flex flex-wrap justify-end gap-2 border-t border-hairline px-5 py-3 max-md:pb-[calc(12px+env(safe-area-inset-bottom))]"
            >
              <Radix.Cancel asChild>
                <Button>{cancelLabel ?? t('common.cancel')}</Button>
              </Radix.Cancel>
              <Button type="submit" variant={danger ? 'danger' : 'primary'} busy={busy} disabled={!matches}>
                {confirmLabel}
              </Button>
            </div>
          </form>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
