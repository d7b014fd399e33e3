import type { Tone } from '#web/ui/status.tsx'
import { t } from './messages.ts'
import type { ConnectionRow } from './use-connections.ts'

/** Whether an account's credentials worked when they were tested last. */
export function connectionState({ status }: ConnectionRow): { label: string; tone: Tone } {
  if (status === 'Connected') return { label: t('create.state_connected'), tone: 'ok' }
  if (status === 'Failed') return { label: t('create.state_failed'), tone: 'bad' }
  return { label: t('create.state_untested'), tone: 'none' }
}
