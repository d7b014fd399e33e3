import type { SqlResult } from '#shared/responses/site-console.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Cell, HeadCell, Row, Table } from '#web/ui/table.tsx'
import { CellText } from './cell-text.tsx'
import { t } from './messages.ts'

/** Rows that a statement returned. */
export function SqlRows({ result: { columns, rows, more, omitted, ms } }: { result: SqlResult }) {
  const text = t(more ? 'sql.rows_more' : 'sql.rows', { count: rows.length, ms: formatNumber(ms) })
  return (
    <div className="grid min-w-0 gap-2">
      <p role="status" className="text-table text-muted">
        {text}
      </p>
      {rows.length === 0 ? null : (
        <Table label={t('sql.result')}>
          <thead>
            <tr>
              {columns.map((name, at) => (
                // Names of a result need not differ.
                <HeadCell key={at}>
                  <span translate="no">{name}</span>
                </HeadCell>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, index) => (
              <Row key={index}>
                {cells.map((cell, at) => (
                  <Cell key={at} className="max-w-96 whitespace-pre-wrap! wrap-anywhere [font-variant-ligatures:none]">
                    <CellText cell={cell} />
                  </Cell>
                ))}
              </Row>
            ))}
          </tbody>
        </Table>
      )}
      {omitted > 0 ? <p className="text-meta text-muted">{t('rows.omitted', { count: omitted })}</p> : null}
    </div>
  )
}
