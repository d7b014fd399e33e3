import type { DatabaseCell } from '#shared/responses/site-database.ts'
import { formatBytes } from '#web/lib/i18n/format.ts'
import { t } from './messages.ts'

/** Text of the site on one line: what would reorder or break it shows as a replacement. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD')
}

/** A value on one line. */
export function CellText({ cell }: { cell: DatabaseCell }) {
  if (cell === null) return <span className="text-muted italic">{t('rows.null')}</span>
  if (cell.kind === 'hidden')
    return (
      <span className="text-muted" title={t('rows.hidden_hint')}>
        {t('rows.hidden')}
      </span>
    )
  if (cell.kind === 'binary')
    return <span className="text-muted">{t('rows.binary', { size: formatBytes(cell.bytes) })}</span>
  if (cell.text === '') return <span className="sr-only">{t('rows.empty_text')}</span>
  return (
    <span translate="no" className={cell.kind === 'number' ? 'tabular-nums' : undefined}>
      {oneLine(cell.text)}
      {cell.cut ? '…' : ''}
    </span>
  )
}
