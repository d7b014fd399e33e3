import { useState } from 'react'
import { fieldLabel, type Doctype, type FilterOperator, type FilterTriple } from '#shared/doctype.ts'
import { useList } from '#web/lib/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Field } from '#web/ui/field.tsx'
import { Input } from '#web/ui/input.tsx'
import { Select } from '#web/ui/select.tsx'
import { findDoctype, valueLabel } from './list-query.ts'
import { filterFields, filterOperators } from './list-state.ts'
import { t } from './messages.ts'

/** A value that can be chosen, with its words. */
interface Choice {
  value: string
  label: string
}

/** Linked documents offered as choices; the person narrows by text when there are more. */
const choicesLimit = 200

/** Choices of a field: a closed list's values, or titles of linked documents; null for free text. */
function useChoices(type: Doctype, field: string): readonly Choice[] | null {
  const described = type.fields[field]
  const target =
    described?.fieldtype === 'Link' && typeof described.options === 'string' ? findDoctype(described.options) : null
  const title = target?.title_field ?? 'name'
  const linked = useList<Record<string, unknown>>(target?.name ?? null, {
    fields: ['name', title],
    order_by: `${title} asc`,
    limit: choicesLimit,
  })
  if (target)
    return (linked.data ?? []).map((row) => ({ value: String(row['name']), label: String(row[title] ?? row['name']) }))
  if (described?.fieldtype === 'Check')
    return [
      { value: '1', label: t('value.yes') },
      { value: '0', label: t('value.no') },
    ]
  if (described?.fieldtype === 'Select' && Array.isArray(described.options)) {
    return described.options.map((value: string) => ({ value, label: valueLabel(type, field, value) }))
  }
  return null
}

function isMany(operator: FilterOperator): boolean {
  return operator === 'in' || operator === 'not in'
}

/** Values of a filter as texts, whichever form they are in. */
function asTexts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map((part) => String(part ?? '')).filter((part) => part !== '')
}

/** Field, comparison and value of one filter; `onApply` gets the finished triple. */
export function FilterEditor({
  type,
  initial,
  onApply,
}: {
  type: Doctype
  initial?: FilterTriple
  onApply: (filter: FilterTriple) => void
}) {
  const fields = filterFields(type)
  const [field, setField] = useState(initial?.[0] ?? fields[0] ?? 'name')
  const [operator, setOperator] = useState<FilterOperator>(initial?.[1] ?? '=')
  const [values, setValues] = useState<readonly string[]>(asTexts(initial?.[2]))
  const choices = useChoices(type, field)
  const operators = filterOperators.filter((known) => choices === null || !known.operator.includes('like'))
  const current = operators.some((known) => known.operator === operator) ? operator : '='
  const many = isMany(current)

  const apply = () => {
    const filled = values.map((value) => value.trim()).filter((value) => value !== '')
    const first = filled[0]
    if (first !== undefined) onApply([field, current, many ? filled : first])
  }

  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <Field label={t('list.filter_field')}>
        <Select
          small
          value={field}
          onChange={(event) => {
            setField(event.target.value)
            setValues([])
          }}
        >
          {fields.map((name) => (
            <option key={name} value={name}>
              {fieldLabel(name, type.fields[name] ?? {})}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('list.filter_operator')}>
        <Select
          small
          value={current}
          onChange={(event) =>
            setOperator(operators.find((known) => known.operator === event.target.value)?.operator ?? '=')
          }
        >
          {operators.map((known) => (
            <option key={known.operator} value={known.operator}>
              {known.label}
            </option>
          ))}
        </Select>
      </Field>
      <ValueControl
        choices={choices}
        many={many}
        like={current.includes('like')}
        values={values}
        onChange={setValues}
      />
      <Button type="submit" variant="primary" size="md" block disabled={values.every((value) => value.trim() === '')}>
        {t('list.filter_apply')}
      </Button>
    </form>
  )
}

function ValueControl({
  choices,
  many,
  like,
  values,
  onChange,
}: {
  choices: readonly Choice[] | null
  many: boolean
  like: boolean
  values: readonly string[]
  onChange: (values: readonly string[]) => void
}) {
  if (choices && many) {
    return (
      <fieldset className="grid gap-1.5">
        <legend className="mb-1.5 text-table font-medium">{t('list.filter_values')}</legend>
        <div className="grid max-h-48 gap-1.5 overflow-y-auto rounded-ctl border border-border p-2">
          {choices.map((choice) => (
            <Checkbox
              key={choice.value}
              label={choice.label}
              checked={values.includes(choice.value)}
              onChange={(event) =>
                onChange(
                  event.target.checked ? [...values, choice.value] : values.filter((value) => value !== choice.value),
                )
              }
            />
          ))}
        </div>
      </fieldset>
    )
  }
  if (choices) {
    return (
      <Field label={t('list.filter_value')}>
        <Select small value={values[0] ?? ''} onChange={(event) => onChange([event.target.value])}>
          <option value="" disabled>
            {t('form.choose')}
          </option>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </Select>
      </Field>
    )
  }
  return (
    <Field
      label={many ? t('list.filter_values') : t('list.filter_value')}
      hint={like ? t('list.filter_like_hint') : many ? t('list.filter_many_hint') : undefined}
    >
      <Input
        value={many ? values.join(',') : (values[0] ?? '')}
        autoComplete="off"
        onChange={(event) => onChange(many ? event.target.value.split(',') : [event.target.value])}
      />
    </Field>
  )
}
