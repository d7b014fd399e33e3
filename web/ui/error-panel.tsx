import { useState, type ReactNode } from 'react'
import type { MessageDescriptor } from '#shared/localized-message.ts'
import { call } from '#web/lib/api/api.ts'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { copyText } from '#web/lib/browser/copy-text.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import { Button } from './button.tsx'
import { StatusMark } from './images/status-marks.tsx'

/** Details of an error for a support request; contains no secrets. */
export function errorDetails(title: string, error: ApiError): string {
  return [
    title,
    error.message,
    `status ${error.httpStatus}${error.excType ? ` ${error.excType}` : ''}${error.code ? ` (${error.code})` : ''}`,
    error.requestId ? `request ${error.requestId}` : null,
    `page ${location.pathname}`,
    `time ${new Date().toISOString()}`,
  ]
    .filter(Boolean)
    .join('\n')
}

/** What a denied panel tried to read, for the explanation. */
export interface Wanted {
  doctype: string
  name?: string
  /** Defaults to `read`. */
  operation?: string
}

/** Panel for data that failed to load: what, why, Retry, Copy details. Other panels keep working. */
export function ErrorPanel({
  title,
  error,
  onRetry,
  wanted,
  page = false,
  className,
}: {
  title: string
  error: unknown
  /** If it returns a promise, the button is busy until it settles. */
  onRetry?: (() => unknown) | undefined
  /** Adds "Why?" if the server denied access. */
  wanted?: Wanted
  /** It is the whole page: its title is the page's. */
  page?: boolean
  className?: string
}) {
  const failure = toApiError(error)
  const Title = page ? 'h1' : 'p'
  const [copied, setCopied] = useState(false)
  const [busy, setBusy] = useState(false)
  const retry = async (): Promise<void> => {
    setBusy(true)
    try {
      await onRetry?.()
    } finally {
      setBusy(false)
    }
  }
  return (
    <div
      role="alert"
      className={className ?? 'flex items-start gap-3 rounded-card border border-border bg-surface p-4 shadow-xs'}
    >
      <StatusMark tone="bad" className="mt-0.5" />
      <div className="min-w-0 flex-1">
        <Title className="text-body font-semibold">{title}</Title>
        <p className="mt-0.5 text-table wrap-anywhere text-muted">{failure.message}</p>
        {failure.nextAction && <p className="mt-0.5 text-table">{failure.nextAction}</p>}
        {wanted && failure.httpStatus === 403 && <WhyRefused wanted={wanted} />}
        <div className="mt-3 flex flex-wrap gap-2">
          {onRetry && (
            <Button size="sm" busy={busy} onClick={() => void retry()}>
              {t('common.retry')}
            </Button>
          )}
          <Button size="sm" variant="ghost" onClick={() => void copyText(errorDetails(title, failure)).then(setCopied)}>
            {copied ? t('common.copied') : t('common.copy_details')}
          </Button>
        </div>
      </div>
    </div>
  )
}

/** The rule in English and as a message descriptor. */
interface Explained {
  text: string
  text_i18n?: MessageDescriptor
}

/** "Why?": asks the server which rule denied access and shows it. */
function WhyRefused({ wanted }: { wanted: Wanted }) {
  const [answer, setAnswer] = useState<ReactNode>(null)
  const ask = () =>
    call<Explained>('explain_permission', { operation: 'read', ...wanted }, { verb: 'GET' }).then(
      ({ text, text_i18n }) => setAnswer(<LocalizedText text={text} i18n={text_i18n} />),
      (error: unknown) => setAnswer(toApiError(error).message),
    )
  return (
    <div className="mt-1 text-table" aria-live="polite">
      {answer === null ? (
        <button type="button" className="underline underline-offset-2" onClick={() => void ask()}>
          {t('common.why')}
        </button>
      ) : (
        answer
      )}
    </div>
  )
}
