import { useState } from 'react'
import { factorStatus, type FactorSetup } from '#shared/responses/two-factor.ts'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { SecondFactorSetup } from './second-factor-setup.tsx'
import { t } from './messages.ts'

const method = (name: string) => `easydash.api.two_factor.${name}`

/** Below this number of recovery codes, show a warning. */
const fewCodes = 4

type Step =
  | { at: 'setup'; begun: FactorSetup }
  | { at: 'codes'; codes: readonly string[]; justEnabled: boolean }
  | { at: 'disable' }
  | { at: 'new_codes' }

/**
 * Two-factor authentication with an authenticator app: turn it on, with recovery codes, and off. `required`: turning it on is what
 * the page is for, so it offers nothing else.
 */
export function SecondFactorCard({
  user,
  onChanged,
  required = false,
}: {
  user: string
  onChanged: () => void
  required?: boolean
}) {
  const status = useMethod(method('status'), {}, { returns: factorStatus })
  const { checked, dialog } = usePasswordCheck()
  const [step, setStep] = useState<Step | null>(null)
  const [busy, setBusy] = useState(false)
  const { failure, attempt, clearFailure } = useAttempt()
  const close = () => {
    setStep(null)
    clearFailure()
  }

  const begin = async () => {
    setBusy(true)
    try {
      const begun = await checked(() => call<FactorSetup>(method('begin')))
      if (begun) setStep({ at: 'setup', begun })
    } catch (error) {
      showToast({ title: t('factor.failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
    } finally {
      setBusy(false)
    }
  }
  /** Work confirmed in an alert dialog; a failure is shown inside it. */
  const change = (work: () => Promise<void>) =>
    attempt(async () => {
      await work()
      await status.reload()
    })

  return (
    <Card>
      <CardHead title={t('factor.title')}>
        {status.data ? (
          <Tag tone={status.data.enabled ? 'ok' : 'off'}>{t(status.data.enabled ? 'factor.on' : 'factor.off')}</Tag>
        ) : null}
      </CardHead>
      <CardBody>
        {status.error && !status.data ? (
          <ErrorPanel
            className="flex items-start gap-3"
            title={t('factor.error')}
            error={status.error}
            onRetry={() => status.reload()}
          />
        ) : status.data === undefined ? (
          <Skeleton className="h-16 w-full" />
        ) : status.data.enabled ? (
          <div className="grid gap-3">
            <p className="text-table text-muted">
              {t('factor.on_text', { day: formatDay(status.data.since) })}{' '}
              <span className={status.data.recovery_codes_left < fewCodes ? 'font-medium text-warn' : ''}>
                {t('factor.codes_left', { count: status.data.recovery_codes_left })}.
              </span>
            </p>
            {required ? null : (
              <div className="flex flex-wrap gap-2">
                <Button onClick={() => setStep({ at: 'new_codes' })}>{t('factor.new_codes')}</Button>
                <Button onClick={() => setStep({ at: 'disable' })}>{t('factor.disable')}</Button>
              </div>
            )}
          </div>
        ) : (
          <div className="grid gap-3">
            <p className="max-w-2xl text-table text-muted">{t('factor.off_text')}</p>
            <Button
              className="justify-self-start"
              {...(required && { variant: 'primary', size: 'xl' })}
              busy={busy}
              onClick={() => void begin()}
            >
              {t('factor.set_up')}
            </Button>
          </div>
        )}
      </CardBody>
      {step?.at === 'setup' ? (
        <SecondFactorSetup
          begun={step.begun}
          onClose={close}
          onOn={(codes) => {
            setStep({ at: 'codes', codes, justEnabled: true })
            void status.reload()
            onChanged()
          }}
        />
      ) : null}
      {step?.at === 'codes' ? (
        <RecoveryCodes user={user} codes={step.codes} justEnabled={step.justEnabled} onClose={close} />
      ) : null}
      {step?.at === 'disable' ? (
        <AlertDialog
          open
          onOpenChange={(open) => {
            if (!open) close()
          }}
          title={t('factor.disable_title')}
          confirmLabel={t('factor.disable_confirm')}
          error={failure}
          onConfirm={() =>
            change(async () => {
              if (!(await checked(() => call(method('disable'))))) return
              close()
              showToast({ title: t('factor.disabled') })
            })
          }
        >
          {t('factor.disable_text')}
        </AlertDialog>
      ) : null}
      {step?.at === 'new_codes' ? (
        <AlertDialog
          open
          danger={false}
          onOpenChange={(open) => {
            if (!open) close()
          }}
          title={t('factor.new_codes_title')}
          confirmLabel={t('factor.new_codes_confirm')}
          error={failure}
          onConfirm={() =>
            change(async () => {
              const made = await checked(() => call<{ recovery_codes: string[] }>(method('new_recovery_codes')))
              if (made) setStep({ at: 'codes', codes: made.recovery_codes, justEnabled: false })
            })
          }
        >
          {t('factor.new_codes_text')}
        </AlertDialog>
      ) : null}
      {dialog}
    </Card>
  )
}
