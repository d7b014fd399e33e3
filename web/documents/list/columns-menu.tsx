import { Columns3 } from 'lucide-react'
import { useState } from 'react'
import type { Doctype } from '#shared/doctype.ts'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Popover } from '#web/ui/overlay/popover.tsx'
import { columnLabel, type ColumnOptions } from './list-columns.ts'
import { t } from './messages.ts'

/** Menu of a list's columns; the first one, which names the row, can't be hidden. */
export function ColumnsMenu({
  type,
  columns,
  visible,
  onChange,
}: {
  type: Doctype
  columns: readonly ColumnOptions[]
  visible: readonly string[]
  onChange: (fields: readonly string[] | null) => void
}) {
  const [open, setOpen] = useState(false)
  return (
    <Popover
      label={t('list.columns')}
      align="end"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button size="md">
          <Columns3 size={16} strokeWidth={1.75} aria-hidden="true" className="text-muted" />
          {t('list.columns')}
        </Button>
      }
    >
      <fieldset className="grid gap-2">
        <legend className="sr-only">{t('list.columns')}</legend>
        {columns.slice(1).map((column) => (
          <Checkbox
            key={column.field}
            label={columnLabel(type, column)}
            checked={visible.includes(column.field)}
            onChange={(event) =>
              onChange(
                event.target.checked ? [...visible, column.field] : visible.filter((field) => field !== column.field),
              )
            }
          />
        ))}
        <Button size="sm" variant="ghost" className="-ml-2.5 justify-self-start" onClick={() => onChange(null)}>
          {t('list.columns_reset')}
        </Button>
      </fieldset>
    </Popover>
  )
}
