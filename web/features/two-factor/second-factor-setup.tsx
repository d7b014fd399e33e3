import type { FactorSetup } from '#shared/responses/two-factor.ts'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { call } from '#web/lib/api/api.ts'
import { Button } from '#web/ui/button.tsx'
import { CopyField } from '#web/ui/copy-button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { t } from './messages.ts'

/** Groups of four are easier to type. */
const grouped = (secret: string) => secret.replaceAll(/(.{4})(?=.)/g, '$1 ')
const withoutSpaces = (code: string) => code.replaceAll(/\s/g, '')

/** Shows the secret as QR code and text, and verifies the first code. `onOn` gets the recovery codes. */
export function SecondFactorSetup({
  begun,
  onClose,
  onOn,
}: {
  begun: FactorSetup
  onClose: () => void
  onOn: (codes: readonly string[]) => void
}) {
  const { checked, dialog } = usePasswordCheck()
  const form = useApiForm({
    defaultValues: { otp: '' },
    fallbackField: 'otp',
    send: async (values) => {
      const otp = withoutSpaces(values.otp)
      const result = await checked(() => call<{ recovery_codes: string[] }>('easydash.api.two_factor.confirm', { otp }))
      if (result) onOn(result.recovery_codes)
    },
  })

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !form.busy) onClose()
      }}
      title={t('setup.title')}
      description={t('setup.scan')}
      width="md:w-[420px]"
      footer={
        <>
          <Button onClick={onClose}>{t('setup.cancel')}</Button>
          <Button type="submit" form="second-factor" variant="primary" busy={form.busy}>
            {t('setup.confirm')}
          </Button>
        </>
      }
    >
      <form {...form.props} id="second-factor" className="grid gap-4">
        {/* Scanners need dark on light, in any theme. */}
        <svg
          role="img"
          aria-label={t('setup.qr')}
          viewBox={`0 0 ${begun.qr.size} ${begun.qr.size}`}
          shapeRendering="crispEdges"
          className="mx-auto block size-48 rounded-card bg-[oklch(1_0_0)]"
        >
          <path d={begun.qr.path} fill="oklch(0 0 0)" />
        </svg>
        <div className="grid gap-1.5">
          <span className="text-table font-medium">{t('setup.key')}</span>
          <CopyField value={grouped(begun.secret)} />
        </div>
        <Field label={t('setup.code')} hint={t('setup.code_hint')} error={form.errorOf('otp')} required>
          <Input
            {...form.register('otp', {
              validate: (code) => withoutSpaces(code) !== '' || t('setup.code_missing'),
              onChange: () => form.clearErrors(),
            })}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={20}
            className="font-mono"
          />
        </Field>
      </form>
      {dialog}
    </Dialog>
  )
}
