import { useState } from 'react'
import { toApiError, type ApiError } from '#web/lib/api-error.ts'
import { copyText } from '#web/lib/copy-text.ts'
import { t } from '#web/lib/messages.ts'
import { Button } from './button.tsx'
import { Mark } from './glyphs.tsx'

/** Everything about a failure that helps whoever is asked for help; holds no secrets. */
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

/** A panel that could not be read: what, why, Retry, Copy details. Other panels live on. */
export function ErrorPanel({
  title,
  error,
  onRetry,
  className,
}: {
  title: string
  error: unknown
  onRetry?: () => void
  className?: string
}) {
  const failure = toApiError(error)
  const [copied, setCopied] = useState(false)
  return (
    <div
      role="alert"
      className={className ?? 'flex items-start gap-3 rounded-card border border-border bg-surface p-4 shadow-xs'}
    >
      <Mark tone="bad" className="mt-0.5" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{title}</p>
        <p className="mt-0.5 text-table wrap-anywhere text-muted">{failure.message}</p>
        {failure.nextAction && <p className="mt-0.5 text-table">{failure.nextAction}</p>}
        <div className="mt-3 flex flex-wrap gap-2">
          {onRetry && (
            <Button size="sm" onClick={onRetry}>
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
