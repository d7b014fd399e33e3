import { useState, type ReactNode } from 'react'
import type { DatabaseColumn } from '#shared/responses/site-database.ts'
import { cellOperators, databaseLimits, operatorsWithoutValue, type CellOperator } from '#shared/rules/site-database.ts'
import { Button } from '#web/ui/button.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Select } from '#web/ui/form/select.tsx'
import type { ShownRows } from './database-data.ts'
import { t } from './messages.ts'

const operatorLabels = {
  contains: () => t('filter.contains'),
  equals: () => t('filter.equals'),
  differs: () => t('filter.differs'),
  starts: () => t('filter.starts'),
  less: () => t('filter.less'),
  greater: () => t('filter.greater'),
  null: () => t('filter.null'),
  not_null: () => t('filter.not_null'),
} satisfies Record<CellOperator, () => string>

type Filter = Pick<ShownRows, 'column' | 'operator' | 'value'>

/** The filter of a table's rows: one column, compared with one value. */
export function RowFilter({
  columns,
  filter,
  onFilter,
  children,
}: {
  columns: readonly DatabaseColumn[]
  filter: Filter
  onFilter: (filter: Filter) => void
  /** At the end of the same line. */
  children: ReactNode
}) {
  const usable = columns.filter(({ hidden }) => !hidden)
  const [column, setColumn] = useState(filter.column || (usable[0]?.name ?? ''))
  const [operator, setOperator] = useState(filter.operator)
  const [value, setValue] = useState(filter.value)
  const needsValue = !operatorsWithoutValue.has(operator)
  return (
    <form
      aria-label={t('filter.title')}
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onFilter({ column, operator, value: needsValue ? value : '' })
      }}
    >
      <Select
        small
        className="max-md:flex-[1_1_40%]"
        aria-label={t('filter.column')}
        translate="no"
        value={column}
        onChange={(event) => setColumn(event.target.value)}
      >
        {usable.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        small
        className="max-md:flex-[1_1_40%]"
        aria-label={t('filter.operator')}
        value={operator}
        onChange={(event) => setOperator(cellOperators.find((one) => one === event.target.value) ?? 'contains')}
      >
        {cellOperators.map((one) => (
          <option key={one} value={one}>
            {operatorLabels[one]()}
          </option>
        ))}
      </Select>
      {needsValue ? (
        <Input
          aria-label={t('filter.value')}
          placeholder={t('filter.value')}
          value={value}
          maxLength={databaseLimits.value}
          className="h-8! max-md:h-10! max-md:w-auto! max-md:min-w-0 max-md:flex-[1_1_40%] md:w-48!"
          onChange={(event) => setValue(event.target.value)}
        />
      ) : null}
      <Button type="submit" size="md">
        {t('filter.apply')}
      </Button>
      {filter.column === '' ? null : (
        <Button
          size="md"
          variant="ghost"
          onClick={() => {
            setValue('')
            onFilter({ column: '', operator, value: '' })
          }}
        >
          {t('rows.clear')}
        </Button>
      )}
      {children}
    </form>
  )
}
