import { ListFilter } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { Button } from '#web/ui/button.tsx'
import { FilterChip } from '#web/ui/chip.tsx'
import { Popover } from '#web/ui/overlay/popover.tsx'
import { SearchInput } from '#web/ui/form/search-input.tsx'
import { joinOr } from '../actions/action-gate.ts'
import { FilterEditor } from '../later-forms.tsx'
import { useLinkTitles } from '../query/link-titles.ts'
import { t } from './messages.ts'
import { fieldTitle, describeFilter, summarizeValues } from '../query/list-query.ts'
import { searchFields } from '../query/list-request.ts'
import { sameFilters, type ListState } from '../query/list-state.ts'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'

function Chip({
  type,
  filter,
  onChange,
  onRemove,
}: {
  type: Doctype
  filter: FilterTriple
  onChange: (filter: FilterTriple) => void
  onRemove: () => void
}) {
  const [open, setOpen] = useState(false)
  const description = describeFilter(type, filter, useLinkTitles(type, filter[0], filter[2]))
  const body = (content: ReactNode) => (
    <Popover
      label={t('list.filter_edit', description)}
      open={open}
      onOpenChange={setOpen}
      trigger={
        <button type="button" className="flex items-stretch hover:bg-hover focus-visible:-outline-offset-2">
          <span className="sr-only">{`${t('list.filter_change')} `}</span>
          {content}
        </button>
      }
    >
      <FilterEditor
        type={type}
        initial={filter}
        onApply={(next) => {
          setOpen(false)
          onChange(next)
        }}
        onClose={() => setOpen(false)}
      />
    </Popover>
  )
  return <FilterChip {...description} body={body} removeLabel={t('filter.remove', description)} onRemove={onRemove} />
}

/** Alternatives of a view as one chip, removed together. */
function AnyChip({ type, any, onRemove }: { type: Doctype; any: readonly FilterTriple[]; onRemove: () => void }) {
  const conditions = any.map((filter) => t('any.or', describeFilter(type, filter)))
  const description = { field: t('any.of'), operator: '', value: summarizeValues(conditions) }
  return (
    <FilterChip
      {...description}
      body={(content) => (
        <span className="flex items-stretch" title={joinOr(conditions)}>
          {content}
        </span>
      )}
      removeLabel={t('any.remove', { conditions: joinOr(conditions) })}
      onRemove={onRemove}
    />
  )
}

/** The row above a list: search text, filter chips, a button to add one; `children` come last. */
export function ListFilters({
  type,
  state,
  defaults,
  onChange,
  onFilters,
  adding,
  onAdding,
  children,
}: {
  type: Doctype
  state: ListState
  /** Filters that are part of the views, and therefore have no chip. */
  defaults: readonly FilterTriple[]
  onChange: (change: Partial<ListState>, quiet?: boolean) => void
  /** Called when the user edits a filter. */
  onFilters: (filters: readonly FilterTriple[]) => void
  /** Whether the editor of a new filter is open. */
  adding: boolean
  onAdding: (open: boolean) => void
  children?: ReactNode
}) {
  const isDefault = (filter: FilterTriple) => defaults.some((one) => sameFilters([one], [filter]))
  // A user's own filter of a field replaces the default one: "Status equals Archived" would otherwise match nothing.
  const add = (filter: FilterTriple) =>
    onFilters([...state.filters.filter((one) => !isDefault(one) || one[0] !== filter[0]), filter])
  // Without a filter of its field, a default one applies again.
  const withDefaults = (filters: readonly FilterTriple[]) => [
    ...defaults.filter(([field]) => !filters.some((one) => one[0] === field)),
    ...filters,
  ]
  const replace = (index: number, filter: FilterTriple | null) => {
    const next = state.filters.flatMap((present, at) => (at === index ? (filter ? [filter] : []) : [present]))
    onFilters(filter ? next : withDefaults(next))
  }
  const phone = useBreakpoint() === 'phone'
  const addButton = (
    <Popover
      label={t('list.filter_add')}
      open={adding}
      onOpenChange={onAdding}
      trigger={
        <Button variant="ghost" size="md" className="text-muted">
          <ListFilter size={16} strokeWidth={1.75} aria-hidden="true" />
          {t('list.filter')}
        </Button>
      }
    >
      <FilterEditor
        type={type}
        onApply={(filter) => {
          onAdding(false)
          add(filter)
        }}
        onClose={() => onAdding(false)}
      />
    </Popover>
  )
  const searched = searchFields(type).map((field) => fieldTitle(type, field).toLowerCase())
  return (
    <div role="search" className="mb-3 flex flex-wrap items-center gap-2">
      {searched.length > 0 ? (
        <SearchInput
          className={phone ? 'min-w-[54%] flex-1' : 'w-60 max-lg:w-40'}
          label={t('list.filter_text', { fields: joinOr(searched) })}
          text={state.text}
          onChange={(text) => onChange({ text }, true)}
        />
      ) : null}
      {/* On phones next to the field, within reach of the thumb. */}
      {phone ? addButton : null}
      {state.filters.map((filter, index) =>
        isDefault(filter) ? null : (
          <Chip
            key={JSON.stringify(filter)}
            type={type}
            filter={filter}
            onChange={(next) => replace(index, next)}
            onRemove={() => replace(index, null)}
          />
        ),
      )}
      {state.any && state.any.length > 0 ? (
        <AnyChip type={type} any={state.any} onRemove={() => onChange({ any: [] })} />
      ) : null}
      {phone ? null : addButton}
      <span className="ml-auto flex items-center gap-2 max-md:w-full max-md:flex-wrap">{children}</span>
    </div>
  )
}
