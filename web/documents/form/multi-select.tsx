import { Search } from 'lucide-react'
import { useId, type ReactNode } from 'react'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Radio } from '#web/ui/form/radio.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { t } from './messages.ts'
import { summarizeValues } from '../query/list-query.ts'
import type { Choice, Choices } from './use-choices.ts'

/**
 * Multiple choice from a list: search, Select All (of the results), Clear, and the chosen values with '+ N more'
 * (docs/contracts/screens.md, section 2); `one`: a single value. Chosen values stay visible even if the list doesn't include
 * them.
 */
export function MultiSelect({
  label,
  offered: { choices, many, more, searching, labelOf },
  text,
  onText,
  values,
  onChange,
  one = false,
}: {
  label: string
  offered: Choices
  text: string
  onText: (text: string) => void
  values: readonly string[]
  onChange: (values: readonly string[]) => void
  one?: boolean
}) {
  const id = useId()
  const searched = text.trim() !== ''
  const chosen = new Set(values)
  const listed = choices ?? []
  const unlisted = searched ? [] : values.filter((value) => !listed.some((choice) => choice.value === value))
  const found = [...unlisted.map((value) => ({ value, label: labelOf(value) })), ...listed]
  const toggle = (value: string, on: boolean) =>
    onChange(on ? [...values, value] : values.filter((present) => present !== value))
  const note = searching
    ? t('multi.searching')
    : more
      ? t(searched ? 'multi.more_fit' : 'multi.first', { n: formatNumber(listed.length) })
      : listed.length > 0
        ? t('multi.fit', { count: listed.length })
        : ''
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-table font-medium">{label}</legend>
      <label className="control flex h-8 items-center gap-2 px-2.5 text-table max-md:h-11">
        <Search size={14} strokeWidth={1.75} aria-hidden="true" className="flex-none text-muted" />
        <input
          type="search"
          value={text}
          placeholder={t('multi.search')}
          aria-label={t('multi.search')}
          aria-controls={id}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={(event) => {
            // Enter would submit the filter while the user is still searching.
            if (event.key === 'Enter') event.preventDefault()
          }}
          className="h-full min-w-0 flex-1 bg-transparent outline-none [&::-webkit-search-cancel-button]:appearance-none"
        />
      </label>
      {/* Reserves the space, so that the items below don't move while typing. */}
      {many ? (
        <p role="status" className="min-h-8 text-meta text-muted">
          {note}
        </p>
      ) : null}
      {one ? null : (
        <div className="flex items-center gap-1">
          <Button
            size="sm"
            variant="ghost"
            className="-ml-2"
            disabled={found.every((choice) => chosen.has(choice.value))}
            onClick={() => onChange([...new Set([...values, ...found.map((choice) => choice.value)])])}
          >
            {t('multi.all')}
          </Button>
          <Button size="sm" variant="ghost" disabled={values.length === 0} onClick={() => onChange([])}>
            {t('multi.clear')}
          </Button>
          <span role="status" className="ml-auto text-meta text-muted">
            {values.length > 0 ? t('multi.chosen', { count: values.length }) : null}
          </span>
        </div>
      )}
      <div
        id={id}
        className="grid max-h-52 content-start gap-1.5 overflow-y-auto rounded-ctl border border-border p-2 max-md:gap-3"
      >
        {choices === null || (found.length === 0 && searching) ? (
          <Waiting />
        ) : found.length === 0 ? (
          <p className="text-meta text-muted">{t('multi.none')}</p>
        ) : one ? (
          found.map((choice) => (
            <Radio
              key={choice.value}
              name={id}
              label={<ChoiceLabel choice={choice} />}
              checked={chosen.has(choice.value)}
              onChange={() => onChange([choice.value])}
            />
          ))
        ) : (
          found.map((choice) => (
            <Checkbox
              key={choice.value}
              label={<ChoiceLabel choice={choice} />}
              checked={chosen.has(choice.value)}
              onChange={(event) => toggle(choice.value, event.target.checked)}
            />
          ))
        )}
      </div>
      {values.length > 0 ? (
        <p className="text-meta text-muted [overflow-wrap:anywhere]">{summarizeValues(values.map(labelOf))}</p>
      ) : null}
    </fieldset>
  )
}

function ChoiceLabel({ choice }: { choice: Choice }): ReactNode {
  if (choice.count === undefined) return choice.label
  return (
    <>
      {choice.label} <span className="text-muted">{formatNumber(choice.count)}</span>
    </>
  )
}

function Waiting() {
  return (
    <>
      <span className="sr-only">{t('multi.loading')}</span>
      {[20, 28, 24].map((width) => (
        <Skeleton key={width} className={{ 20: 'h-4 w-20', 24: 'h-4 w-24', 28: 'h-4 w-28' }[width] ?? ''} />
      ))}
    </>
  )
}
