import { useRef, useState, type FormEvent } from 'react'
import { toApiError } from '#web/lib/api/api-error.ts'
import { callFull } from '#web/lib/api/api.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { focusFirstError, textOf, type FormErrors } from '#web/ui/form/form-errors.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PublicLayout } from './public-layout.tsx'
import { tLogin } from './second-step-messages.ts'

/** The server's message when the second step has timed out. */
const expired = translateText('Login session expired, refresh page to retry')

/** Two-factor code or recovery code. `onBack` restarts the login, with a message if that was forced. */
export function SecondStep({
  tmpId,
  onDone,
  onBack,
}: {
  tmpId: string
  onDone: (response: Record<string, unknown>) => void
  onBack: (reason: string | null) => void
}) {
  const form = useRef<HTMLFormElement>(null)
  const [recovery, setRecovery] = useState(false)
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<FormErrors>({})

  const fail = (next: FormErrors): void => {
    setErrors(next)
    if (form.current) focusFirstError(form.current)
  }
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (busy) return
    const otp = textOf(new FormData(event.currentTarget), 'otp').trim()
    if (otp === '') return fail({ otp: tLogin('code.missing') })
    setBusy(true)
    setErrors({})
    try {
      onDone(await callFull('login', { otp, tmp_id: tmpId }, { failure: 'There was an error while logging in' }))
    } catch (error) {
      const failure = toApiError(error)
      setBusy(false)
      if (failure.message.includes(expired)) onBack(tLogin('code.expired'))
      else if (failure.httpStatus === 401) fail({ otp: tLogin(recovery ? 'recovery.wrong' : 'code.wrong') })
      else fail({ '': fullMessage(failure) })
    }
  }
  const change = (): void => {
    setRecovery(!recovery)
    setErrors({})
  }

  return (
    <PublicLayout
      title={tLogin(recovery ? 'recovery.title' : 'code.title')}
      lead={tLogin(recovery ? 'recovery.lead' : 'code.lead')}
      foot={
        <button type="button" className="link" onClick={() => onBack(null)}>
          {tLogin('code.back')}
        </button>
      }
    >
      <form ref={form} noValidate className="grid gap-4" onSubmit={(event) => void submit(event)}>
        {errors[''] && <Notice tone="bad">{errors['']}</Notice>}
        <Field
          // Different keys, so that switching the kind of code clears the input.
          key={recovery ? 'recovery' : 'code'}
          label={tLogin(recovery ? 'recovery.label' : 'code.label')}
          hint={recovery ? undefined : tLogin('code.hint')}
          error={errors['otp']}
          required
          aside={
            <button type="button" className="link" onClick={change}>
              {tLogin(recovery ? 'code.use_app' : 'code.use_recovery')}
            </button>
          }
        >
          <Input
            large
            name="otp"
            autoFocus
            autoComplete={recovery ? 'off' : 'one-time-code'}
            inputMode={recovery ? 'text' : 'numeric'}
            autoCapitalize="off"
            spellCheck={false}
            maxLength={40}
            className="font-mono"
          />
        </Field>
        <Button type="submit" variant="primary" size="xl" block busy={busy}>
          {tLogin(busy ? 'code.busy' : 'code.submit')}
        </Button>
      </form>
    </PublicLayout>
  )
}
