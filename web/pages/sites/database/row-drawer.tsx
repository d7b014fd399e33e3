import { useMemo, useState } from 'react'
import type { DatabaseCell, DatabaseColumn, DatabaseRows } from '#shared/responses/site-database.ts'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { formatBytes, formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Drawer } from '#web/ui/overlay/drawer.tsx'
import { CellText } from './cell-text.tsx'
import { readValue } from './database-data.ts'
import { formattedValue } from './formatted-value.ts'
import { Identifier } from '#web/ui/identifier.tsx'
import { t } from './messages.ts'

/** A row with all its values. Long ones are loaded on demand. */
export function RowDrawer({
  site,
  table,
  number,
  columns,
  row,
  onClose,
}: {
  site: string
  table: string
  number: number
  columns: readonly DatabaseColumn[]
  row: DatabaseRows['rows'][number] | null
  onClose: () => void
}) {
  return (
    <Drawer
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('row.title', { number: formatNumber(number), table })}
    >
      <dl className="divide-y divide-hairline px-5">
        {columns.map((column, index) => (
          <Value
            key={column.name}
            column={column}
            cell={row?.cells[index] ?? null}
            read={
              row?.row === null || row?.row === undefined
                ? null
                : (start) => readValue(site, { table, column: column.name, row: row.row ?? '', start })
            }
          />
        ))}
      </dl>
    </Drawer>
  )
}

function Value({
  column: { name, type },
  cell,
  read,
}: {
  column: DatabaseColumn
  cell: DatabaseCell
  /** Null: only what is shown can be read. */
  read: ((start: number) => ReturnType<typeof readValue>) | null
}) {
  const [part, setPart] = useState<{ text: string; next: number | null } | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [busy, setBusy] = useState(false)
  const more = async () => {
    if (read === null) return
    setBusy(true)
    setError(null)
    try {
      const { text, next } = await read(part?.next ?? 0)
      setPart({ text: (part?.text ?? '') + text, next })
    } catch (failure) {
      setError(toApiError(failure))
    } finally {
      setBusy(false)
    }
  }
  const isWhole = part !== null && part.next === null
  const hasMore = cell !== null && (cell.cut || cell.kind === 'binary') && !isWhole
  const text = part?.text ?? (cell?.kind === 'text' ? cell.text : null)
  const [isRaw, setRaw] = useState(false)
  const formatted = useMemo(
    () => (text === null || hasMore || cell?.kind !== 'text' ? null : formattedValue(text)),
    [text, hasMore, cell?.kind],
  )
  return (
    <div className="py-3">
      <dt className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">
          <Identifier name={name} />
        </span>
        <span className="flex items-center gap-1 text-meta text-muted">
          <span translate="no">{type}</span>
          {text !== null && text !== '' && !hasMore ? (
            <CopyButton value={text} label={t('row.copy', { name })} />
          ) : null}
        </span>
      </dt>
      <dd className="mt-1 text-table">
        {text !== null && text !== '' ? (
          <pre
            translate="no"
            // Long values scroll in their own box.
            tabIndex={0}
            className="max-h-96 overflow-auto rounded-ctl bg-sunken p-2.5 font-mono text-meta whitespace-pre-wrap wrap-anywhere"
          >
            {formatted !== null && !isRaw ? formatted.outline : text}
          </pre>
        ) : (
          <CellText cell={cell} />
        )}
        {formatted === null ? null : (
          <p className="mt-1 flex flex-wrap items-center gap-2 text-meta text-muted">
            {t(formatted.format === 'json' ? 'row.json' : 'row.serialized')}
            <Button size="sm" variant="ghost" onClick={() => setRaw(!isRaw)}>
              {t(isRaw ? 'row.outline' : 'row.raw')}
            </Button>
          </p>
        )}
        {error ? (
          <p role="alert" className="mt-1 text-meta text-bad">
            {t('row.error')}: {error.message}
          </p>
        ) : null}
        {hasMore && read !== null ? (
          <Button size="sm" className="mt-1.5" busy={busy} onClick={() => void more()}>
            {part === null ? t('row.more', { size: formatBytes(cell.bytes) }) : t('row.more_part')}
          </Button>
        ) : null}
      </dd>
    </div>
  )
}
