import type { ConnectionCheck } from '#shared/doctypes/connections.ts'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { stateTones, type ListedConnection } from './connections.ts'

/** Why a connection does not work, and what to do about it. */
export function ConnectionProblem({
  check: { outcome, message, message_i18n, advice, advice_i18n },
}: {
  check: Pick<ConnectionCheck | ListedConnection, 'outcome' | 'message' | 'message_i18n' | 'advice' | 'advice_i18n'>
}) {
  return (
    <Notice
      tone={outcome && stateTones[outcome] === 'warn' ? 'warn' : 'bad'}
      title={<LocalizedText text={message} i18n={message_i18n} />}
    >
      {advice ? <LocalizedText text={advice} i18n={advice_i18n} /> : null}
    </Notice>
  )
}
