import { useState } from 'react'
import type { DatabaseTable, DatabaseTables } from '#shared/responses/site-database.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { formatBytes, formatNumber } from '#web/lib/i18n/format.ts'
import { Card } from '#web/ui/card.tsx'
import { SearchInput } from '#web/ui/form/search-input.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { Identifier } from '#web/ui/identifier.tsx'
import { t } from './messages.ts'

/** The tables: a list, and a choice where there is no room for one. */
export function TableList({
  tables: { tables, bytes, omitted },
  current,
  onOpen,
}: {
  tables: DatabaseTables
  current: string | null
  onOpen: (table: string) => void
}) {
  const [search, setSearch] = useState('')
  const found = tables.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
  const notes = (
    <p className="px-4 py-2 text-meta text-muted">
      {t('db.size', { size: formatBytes(bytes) })}
      {omitted > 0 ? <> {t('db.omitted', { count: omitted })}</> : null}
    </p>
  )
  return (
    <Card className="min-w-0" aria-label={t('db.tables')}>
      <div className="grid gap-2 p-3 lg:hidden">
        <Select
          aria-label={t('db.table')}
          value={current ?? ''}
          translate="no"
          onChange={(event) => onOpen(event.target.value)}
        >
          {current === null ? <option value="">{t('db.choose')}</option> : null}
          {tables.map((table) => (
            <option key={table.name} value={table.name}>
              {`${table.name} (${rowsText(table)})`}
            </option>
          ))}
        </Select>
      </div>
      <div className="max-lg:hidden">
        <div className="border-b border-hairline p-3">
          <SearchInput label={t('db.search')} text={search} onChange={setSearch} className="w-full" />
        </div>
        {found.length === 0 ? (
          <p className="px-4 py-6 text-table text-muted">{t(tables.length === 0 ? 'db.no_tables' : 'db.no_match')}</p>
        ) : (
          <ul className="max-h-[65vh] overflow-y-auto p-1.5">
            {found.map((table) => (
              <li key={table.name}>
                <button
                  type="button"
                  aria-current={table.name === current ? 'true' : undefined}
                  onClick={() => onOpen(table.name)}
                  className={cx(
                    'grid w-full gap-0.5 rounded-ctl px-2.5 py-1.5 text-left',
                    table.name === current ? 'bg-brand-bg' : 'hover:bg-hover',
                  )}
                >
                  <span className="text-table font-medium">
                    <Identifier name={table.name} />
                  </span>
                  <span className="text-meta text-muted">
                    {table.bytes === null
                      ? rowsText(table)
                      : t('db.about', { rows: rowsText(table), size: formatBytes(table.bytes) })}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className="border-t border-hairline">{notes}</div>
    </Card>
  )
}

function rowsText({ rows, more }: DatabaseTable): string {
  if (rows === null) return t('db.rows_unknown')
  return more ? t('db.rows_more', { count: formatNumber(rows) }) : t('db.rows_of', { count: rows })
}
