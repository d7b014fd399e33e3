import { useState, type ReactNode } from 'react'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { PasswordInput } from '#web/ui/form/password-input.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { tPasswordCheck } from './password-check-messages.ts'

/** Whether the server denied the call because the password wasn't confirmed in the last ten minutes (docs/security.md). */
export function needsPassword(error: ApiError): boolean {
  return error.httpStatus === 403 && error.field === 'password'
}

interface Question {
  /** Retries the work after the password was confirmed. */
  again: () => Promise<void>
  /** Called when the user cancels. */
  giveUp: () => void
}

/**
 * For work that needs a recently confirmed password. `checked` runs the work; if the server asks for the password, `dialog`
 * (rendered by the caller) prompts for it and the work is retried. Resolves to null if the user cancels; throws any other
 * error.
 */
export function usePasswordCheck(): { checked: <T>(work: () => Promise<T>) => Promise<T | null>; dialog: ReactNode } {
  const [question, setQuestion] = useState<Question | null>(null)

  async function checked<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work()
    } catch (error) {
      if (!needsPassword(toApiError(error))) throw error
    }
    return new Promise<T | null>((resolve, reject) => {
      setQuestion({
        again: async () => {
          setQuestion(null)
          await work().then(resolve, reject)
        },
        giveUp: () => {
          setQuestion(null)
          resolve(null)
        },
      })
    })
  }

  return { checked, dialog: question ? <PasswordDialog question={question} /> : null }
}

function PasswordDialog({ question }: { question: Question }) {
  const form = useApiForm({
    defaultValues: { password: '' },
    fallbackField: 'password',
    send: async (values) => {
      await call('easydash.api.account.confirm_password', values)
      await question.again()
    },
  })

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !form.busy) question.giveUp()
      }}
      title={tPasswordCheck('password_check.title')}
      description={tPasswordCheck('password_check.why')}
      width="md:w-[400px]"
      footer={
        <>
          <Button onClick={() => question.giveUp()}>{tPasswordCheck('password_check.cancel')}</Button>
          <Button type="submit" form="password-check" variant="primary" busy={form.busy}>
            {tPasswordCheck('password_check.confirm')}
          </Button>
        </>
      }
    >
      <form {...form.props} id="password-check">
        <Field label={tPasswordCheck('password_check.password')} error={form.errorOf('password')} required>
          <PasswordInput
            {...form.register('password', {
              validate: (password) => password !== '' || tPasswordCheck('password_check.missing'),
              onChange: () => form.clearErrors(),
            })}
            autoComplete="current-password"
          />
        </Field>
      </form>
    </Dialog>
  )
}
