import type { OutboxMail } from '#shared/responses/platform.ts'
import { StatusPill, type Tone } from '#web/ui/status.tsx'
import { t } from './messages.ts'

const tones: Readonly<Record<OutboxMail['status'], Tone>> = {
  Queued: 'none',
  Sending: 'info',
  Sent: 'ok',
  Printed: 'off',
  Failed: 'bad',
}

/** Status of an email. */
export function MailStatus({ status }: { status: OutboxMail['status'] }) {
  return (
    <StatusPill tone={tones[status]} busy={status === 'Sending'} inset>
      {t(`mail.${status}`)}
    </StatusPill>
  )
}
