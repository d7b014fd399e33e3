import { useState, type ReactNode } from 'react'
import type { MessageDescriptor } from '#shared/localized-message.ts'
import { call } from '#web/lib/api/api.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'

/** The rule in English and as a message descriptor. */
interface Explanation {
  text: string
  text_i18n?: MessageDescriptor
}

/**
 * "Why?", for the panel of a document or list that could not be read: asks the server which rule denied access and shows it.
 * Nothing for other failures.
 */
export function DenialReason({ error, doctype, name }: { error: unknown; doctype: string; name?: string }) {
  const [reason, setReason] = useState<ReactNode>(null)
  if (toApiError(error).httpStatus !== 403) return null
  const explain = () =>
    call<Explanation>(
      'explain_permission',
      { operation: 'read', doctype, ...(name && { name }) },
      { verb: 'GET' },
    ).then(
      ({ text, text_i18n }) => setReason(<LocalizedText text={text} i18n={text_i18n} />),
      (failure: unknown) => setReason(toApiError(failure).message),
    )
  return (
    <div className="mt-1 text-table" aria-live="polite">
      {reason === null ? (
        <button type="button" className="underline underline-offset-2" onClick={() => void explain()}>
          {t('common.why')}
        </button>
      ) : (
        reason
      )}
    </div>
  )
}
