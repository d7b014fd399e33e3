import { useState, type FormEvent } from 'react'
import type { LinkSent } from '#shared/responses/verification.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { boot } from '#web/lib/session/boot.ts'
import { emailProblem, focusFirstError, textOf } from '#web/ui/form/form-errors.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { tVerify } from './messages.ts'

/** Changes a mistyped email before it is confirmed; the new one gets the link. */
export function ChangeAddress({ onDone, onCancel }: { onDone: (sent: LinkSent) => void; onCancel: () => void }) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (busy) return
    const form = event.currentTarget
    const email = textOf(new FormData(form), 'email').trim()
    const problem = emailProblem(form)
    if (problem) {
      setError(problem)
      focusFirstError(form)
      return
    }
    setBusy(true)
    try {
      onDone(await call<LinkSent>('easydash.api.account.change_unverified_email', { email }))
    } catch (failure) {
      setError(fullMessage(toApiError(failure)))
      setBusy(false)
      focusFirstError(form)
    }
  }

  return (
    <form noValidate className="grid gap-3" onSubmit={(event) => void submit(event)}>
      <Field label={tVerify('verify.new_address')} error={error} required>
        <Input
          large
          type="email"
          name="email"
          autoComplete="email"
          inputMode="email"
          autoCapitalize="off"
          spellCheck={false}
        />
      </Field>
      <Button type="submit" variant="primary" size="xl" block busy={busy}>
        {tVerify(boot().mail_server ? 'verify.send_there' : 'verify.create_there')}
      </Button>
      <Button size="xl" block onClick={onCancel}>
        {t('common.cancel')}
      </Button>
    </form>
  )
}
