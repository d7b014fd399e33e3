import { useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import type { Doctype, FilterOperator, FilterTriple } from '#shared/doctype.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { t as formText } from '../form/messages.ts'
import { t } from './messages.ts'
import { fieldTitle } from '../query/list-query.ts'
import { filterFields, filterOperators, timeChoices } from '../query/list-state.ts'
import { MultiSelect } from '../form/multi-select.tsx'
import { readsField } from '../actions/readable.ts'
import { useViewer } from '../actions/use-actions.ts'
import { choiceKind, useChoices, type Choices } from '../form/use-choices.ts'

function isMany(operator: FilterOperator): boolean {
  return operator === 'in' || operator === 'not in'
}

/** Values of a filter as strings, from either form. */
function asTexts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map((part) => String(part ?? '')).filter((part) => part !== '')
}

/** Operators that make sense for a field: patterns are for text, and two choices need no list; times have their own. */
function operatorsOf(type: Doctype, field: string): typeof filterOperators {
  const kind = type.fields[field]?.fieldtype
  if (kind === 'Datetime') return filterOperators.filter(({ operator }) => operator in timeChoices)
  const isText = kind === 'Data' || kind === 'Small Text'
  return filterOperators.filter(
    ({ operator }) =>
      !(operator in timeChoices) && (isText || !operator.includes('like')) && (kind !== 'Check' || !isMany(operator)),
  )
}

/** Operator of a new filter: multiple values if they are known, else part of a text. */
function firstOperator(type: Doctype, field: string): FilterOperator {
  const wanted: FilterOperator = choiceKind(type, field) === 'free' ? 'like' : 'in'
  const operators = operatorsOf(type, field)
  return operators.find(({ operator }) => operator === wanted)?.operator ?? operators[0]?.operator ?? '='
}

interface Values {
  field: string
  operator: FilterOperator
  values: readonly string[]
}

/** A popover that was opened before its content was loaded has the focus itself. */
function takeFocus(form: HTMLFormElement | null): void {
  const focused = document.activeElement
  if (form && focused !== document.body && focused?.contains(form)) form.querySelector('select')?.focus()
}

/** Editor of a filter's field, operator and value. `onApply` gets the triple; `onClose` changes nothing. */
export function FilterEditor({
  type,
  initial,
  onApply,
  onClose,
}: {
  type: Doctype
  initial?: FilterTriple
  onApply: (filter: FilterTriple) => void
  onClose: () => void
}) {
  const viewer = useViewer()
  const fields = filterFields(type, (field) => readsField(type, viewer, field))
  const first = initial?.[0] ?? fields[0] ?? 'name'
  const form = useForm<Values>({
    defaultValues: {
      field: first,
      operator: initial?.[1] ?? firstOperator(type, first),
      values: asTexts(initial?.[2]),
    },
  })
  const [field, operator, values] = useWatch({ control: form.control, name: ['field', 'operator', 'values'] })
  const [text, setText] = useState('')
  const operators = operatorsOf(type, field)
  const current = operators.some((known) => known.operator === operator) ? operator : '='
  const offered = useChoices(type, field, text, values, current)
  const many = isMany(current)

  const apply = form.handleSubmit(() => {
    const filled = values.map((value) => value.trim()).filter((value) => value !== '')
    const first = filled[0]
    if (first !== undefined) onApply([field, current, many ? filled : first])
  })

  return (
    <form ref={takeFocus} className="grid gap-3" onSubmit={(event) => void apply(event)}>
      <Field label={t('list.filter_field')}>
        <Select
          small
          {...form.register('field', {
            onChange() {
              form.setValues({ operator: firstOperator(type, form.getValues('field')), values: [] })
              setText('')
            },
          })}
          value={field}
        >
          {fields.map((name) => (
            <option key={name} value={name}>
              {fieldTitle(type, name)}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('list.filter_operator')}>
        <Select
          small
          {...form.register('operator', {
            onChange() {
              setText('')
              if (type.fields[field]?.fieldtype === 'Datetime') form.setValue('values', [])
            },
          })}
          value={current}
        >
          {operators.map((known) => (
            <option key={known.operator} value={known.operator}>
              {translateText(known.label)}
            </option>
          ))}
        </Select>
      </Field>
      <ValueControl
        key={field}
        offered={offered}
        text={text}
        onText={setText}
        many={many}
        like={current.includes('like')}
        values={values}
        onChange={(next) => form.setValue('values', next)}
      />
      <div className="grid grid-cols-2 gap-2">
        <Button size="md" onClick={onClose}>
          {formText('multi.close')}
        </Button>
        <Button type="submit" variant="primary" size="md" disabled={values.every((value) => value.trim() === '')}>
          {t('list.filter_apply')}
        </Button>
      </div>
    </form>
  )
}

/** Input of the value: a choice of known values, or free text. */
function ValueControl({
  offered,
  text,
  onText,
  many,
  like,
  values,
  onChange,
}: {
  offered: Choices
  /** Search text for known values. */
  text: string
  onText: (text: string) => void
  many: boolean
  like: boolean
  values: readonly string[]
  onChange: (values: readonly string[]) => void
}) {
  const known = offered.kind !== 'free' && !like
  // Too many for a menu: use search, as for multiple values.
  if (known && (many || offered.many)) {
    return (
      <MultiSelect
        label={many ? t('list.filter_values') : t('list.filter_value')}
        offered={offered}
        text={text}
        onText={onText}
        values={many ? values : values.slice(0, 1)}
        onChange={onChange}
        one={!many}
      />
    )
  }
  if (known) {
    const value = values[0] ?? ''
    const choices = offered.choices ?? []
    // The current value stays selectable even if no row has it anymore.
    const isUnlisted = value !== '' && !choices.some((choice) => choice.value === value)
    return (
      <Field label={t('list.filter_value')}>
        <Select
          small
          value={value}
          disabled={offered.choices === null}
          onChange={(event) => onChange([event.target.value])}
        >
          <option value="" disabled>
            {formText('form.choose')}
          </option>
          {isUnlisted ? <option value={value}>{offered.labelOf(value)}</option> : null}
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
