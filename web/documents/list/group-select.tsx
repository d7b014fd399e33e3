import type { Doctype } from '#shared/doctype.ts'
import { Select } from '#web/ui/form/select.tsx'
import { readsField } from '../actions/readable.ts'
import { useViewer } from '../actions/use-actions.ts'
import { fieldTitle } from '../query/list-query.ts'
import type { ListState } from '../query/list-state.ts'
import { t } from './messages.ts'

/** Control for the field whose values group the rows; nothing if the list offers none. */
export function GroupSelect({
  type,
  state,
  onChange,
}: {
  type: Doctype
  state: ListState
  onChange: (change: Partial<ListState>) => void
}) {
  const viewer = useViewer()
  const fields = (type.list?.group_fields ?? []).filter((field) => readsField(type, viewer, field))
  if (fields.length === 0) return null
  return (
    <Select
      small
      aria-label={t('group.by')}
      className="max-md:min-w-32 max-md:flex-1"
      value={state.group ?? ''}
      onChange={(event) => onChange({ group: event.target.value === '' ? null : event.target.value })}
    >
      <option value="">{t('group.off')}</option>
      {fields.map((field) => (
        <option key={field} value={field}>
          {t('group.field', { field: fieldTitle(type, field) })}
        </option>
      ))}
    </Select>
  )
}
