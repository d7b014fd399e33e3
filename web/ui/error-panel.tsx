import { useState, type ReactNode } from 'react'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { copyText } from '#web/lib/browser/copy-text.ts'
import { t } from '#web/lib/i18n/messages.ts'
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

/** Panel for data that failed to load: what, why, Retry, Copy details. Other panels keep working. */
export function ErrorPanel({
  title,
  error,
  onRetry,
  children,
  page = false,
  className,
}: {
  title: string
  error: unknown
  /** If it returns a promise, the button is busy until it settles. */
  onRetry?: (() => unknown) | undefined
  /** More about the failure, below its message. */
  children?: ReactNode
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
        {children}
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
