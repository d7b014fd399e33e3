import { useEffect, useRef } from 'react'
import { formatNumber } from '#web/lib/i18n/format.ts'
import type { FoundAddresses } from './find-addresses.ts'
import { Identifier } from '#web/ui/identifier.tsx'
import { t } from './messages.ts'

/** Number of addresses that were found. */
export const placesOf = ({ tables }: Pick<FoundAddresses, 'tables'>): number =>
  tables.reduce((sum, { places }) => sum + places, 0)

/** Names of options that are listed; the others are counted. */
const maxOptions = 8

/** What a change of the primary domain replaces. */
export function FoundAddressesView({ found, isWordPress }: { found: FoundAddresses; isWordPress: boolean }) {
  const { tables, options, examples, skipped, url } = found
  const result = useRef<HTMLElement>(null)
  // The field that had the focus is gone.
  useEffect(() => result.current?.focus(), [])
  const rows = tables.reduce((sum, one) => sum + one.rows, 0)
  return (
    <section
      ref={result}
      aria-label={t('change.result')}
      // The dialog scrolls with the keyboard, too.
      tabIndex={0}
      className="grid gap-4 text-table"
    >
      <p className="wrap-anywhere">{t('change.new_address', { url })}</p>
      {isWordPress ? (
        <p className="font-medium">
          {t('change.found', { count: placesOf(found) })} {rows > 0 ? t('change.found_rows', { count: rows }) : null}
        </p>
      ) : null}
      {tables.length > 0 ? (
        <table className="w-full text-table">
          <thead>
            <tr className="border-b border-hairline text-left text-meta text-muted">
              <th className="py-1 pr-3 font-medium">{t('change.table')}</th>
              <th className="py-1 pr-3 text-right font-medium">{t('change.rows')}</th>
              <th className="py-1 text-right font-medium">{t('change.places')}</th>
            </tr>
          </thead>
          <tbody>
            {tables
              .toSorted((a, b) => b.places - a.places)
              .map(({ table, rows: inTable, places }) => (
                <tr key={table} className="border-b border-hairline last:border-0">
                  <td className="py-1 pr-3">
                    <Identifier name={table} />
                  </td>
                  <td className="py-1 pr-3 text-right tabular-nums">{formatNumber(inTable)}</td>
                  <td className="py-1 text-right tabular-nums">{formatNumber(places)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      ) : null}
      {options.length > 0 ? <OptionNames names={options.map(({ option }) => option)} /> : null}
      {examples.length > 0 ? (
        <section className="grid gap-2">
          <h3 className="text-meta font-medium text-muted">{t('change.examples')}</h3>
          {examples.map(({ table, column, before, after }, index) => (
            <dl key={`${index} ${table} ${column}`} className="grid gap-0.5 rounded-card bg-sunken p-2 text-meta">
              <dt className="text-muted" translate="no">
                {table} · {column}
              </dt>
              <dd className="font-mono wrap-anywhere" translate="no">
                <span className="sr-only">{t('change.before')}: </span>− {before}
              </dd>
              <dd className="font-mono wrap-anywhere" translate="no">
                <span className="sr-only">{t('change.after')}: </span>+ {after}
              </dd>
            </dl>
          ))}
        </section>
      ) : null}
      {skipped > 0 ? <p className="text-warn">{t('change.skipped', { count: skipped })}</p> : null}
      {isWordPress ? <p className="text-muted">{t('change.logged_out')}</p> : null}
    </section>
  )
}

function OptionNames({ names }: { names: readonly string[] }) {
  const shown = names.slice(0, maxOptions).join(', ')
  const more = names.length - maxOptions
  return (
    <p className="text-meta wrap-anywhere text-muted">
      {t('change.options', {
        names: more > 0 ? t('change.more_options', { names: shown, more: formatNumber(more) }) : shown,
      })}
    </p>
  )
}
