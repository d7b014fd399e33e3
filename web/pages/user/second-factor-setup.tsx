import { useRef, useState, type FormEvent } from 'react'
import type { BegunFactor } from '#shared/responses/two-factor.ts'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/form-errors.ts'
import { Button } from '#web/ui/button.tsx'
import { CopyField } from '#web/ui/copy-button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { words } from './settings-messages.ts'

/** Groups of four are easier to type. */
const grouped = (secret: string) => secret.replaceAll(/(.{4})(?=.)/g, '$1 ')

/** Shows the secret as QR code and text, and verifies the first code. `onOn` gets the recovery codes. */
export function SecondFactorSetup({
  begun,
  onClose,
  onOn,
}: {
  begun: BegunFactor
  onClose: () => void
  onOn: (codes: readonly string[]) => void
}) {
  const { checked, dialog } = usePasswordCheck()
  const input = useRef<HTMLInputElement>(null)
  const [code, setCode] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const otp = code.replaceAll(/\s/g, '')
    if (otp === '') {
      setProblem(words('setup.code_missing'))
      input.current?.focus()
      return
    }
    setBusy(true)
    setProblem(null)
    try {
      const answer = await checked(() => call<{ recovery_codes: string[] }>('easydash.api.two_factor.confirm', { otp }))
      if (answer) onOn(answer.recovery_codes)
    } catch (error) {
      setProblem(fullMessage(toApiError(error)))
      input.current?.focus()
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !busy) onClose()
      }}
      title={words('setup.title')}
      description={words('setup.scan')}
      width="md:w-[420px]"
      footer={
        <>
          <Button onClick={onClose}>{words('setup.cancel')}</Button>
          <Button type="submit" form="second-factor" variant="primary" busy={busy}>
            {words('setup.confirm')}
          </Button>
        </>
      }
    >
      <form id="second-factor" noValidate className="grid gap-4" onSubmit={(event) => void submit(event)}>
        {/* Scanners need dark on light, in any theme. */}
        <svg
          role="img"
          aria-label={words('setup.qr')}
          viewBox={`0 0 ${begun.qr.size} ${begun.qr.size}`}
          shapeRendering="crispEdges"
          className="mx-auto block size-48 rounded-card bg-[oklch(1_0_0)]"
        >
          <path d={begun.qr.path} fill="oklch(0 0 0)" />
        </svg>
        <div className="grid gap-1.5">
          <span className="text-table font-medium">{words('setup.key')}</span>
          <CopyField value={grouped(begun.secret)} />
        </div>
        <Field label={words('setup.code')} hint={words('setup.code_hint')} error={problem} required>
          <Input
            ref={input}
            name="otp"
            autoFocus
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={20}
            className="font-mono"
            value={code}
            onChange={(event) => {
              setCode(event.target.value)
              setProblem(null)
            }}
          />
        </Field>
      </form>
      {dialog}
    </Dialog>
  )
}
