import { ListFilter, Search } from 'lucide-react'
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react'
import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { fetched } from '#web/lib/code.ts'
import { useDebounced } from '#web/lib/debounce.ts'
import { useList } from '#web/lib/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { FilterChip } from '#web/ui/chip.tsx'
import { Popover } from '#web/ui/popover.tsx'
import { joinOr } from './action-gate.ts'
import { lt } from './list-messages.ts'
import { fieldWords, filterWords, findDoctype, searchFields, someOf } from './list-query.ts'
import type { ListState } from './list-state.ts'
import { t } from './messages.ts'

const FilterEditor = fetched(() => import('./filter-editor.tsx').then((module) => module.FilterEditor))
const needs = [FilterEditor]

/** Titles of the documents a filter on a link names, by id. */
function useLinkTitles(type: Doctype, [field, , value]: FilterTriple): Record<string, string> {
  const described = type.fields[field]
  const target =
    described?.fieldtype === 'Link' && typeof described.options === 'string' ? findDoctype(described.options) : null
  const title = target?.title_field ?? 'name'
  const names = Array.isArray(value) ? value : [value]
  const linked = useList<Record<string, unknown>>(target?.name ?? null, {
    fields: ['name', title],
    filters: [['name', 'in', names]],
    limit: names.length,
  })
  return Object.fromEntries((linked.data ?? []).map((row) => [String(row['name']), String(row[title] ?? row['name'])]))
}

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
  const words = filterWords(type, filter, useLinkTitles(type, filter))
  const body = (content: ReactNode) => (
    <Popover
      label={t('list.filter_edit', words)}
      open={open}
      onOpenChange={setOpen}
      needs={needs}
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
  return <FilterChip {...words} body={body} removeLabel={lt('filter.remove', words)} onRemove={onRemove} />
}

/** Alternatives as one chip; a view brings them, and they go together. */
function AnyChip({ type, any, onRemove }: { type: Doctype; any: readonly FilterTriple[]; onRemove: () => void }) {
  const conditions = any.map((filter) => lt('any.or', filterWords(type, filter)))
  const words = { field: lt('any.of'), operator: '', value: someOf(conditions) }
  return (
    <FilterChip
      {...words}
      body={(content) => (
        <span className="flex items-stretch" title={joinOr(conditions)}>
          {content}
        </span>
      )}
      removeLabel={lt('any.remove', { conditions: joinOr(conditions) })}
      onRemove={onRemove}
    />
  )
}

/** Free text that is searched once typing rests; follows the URL when it changes elsewhere ("back"). */
function TextFilter({ type, text, onChange }: { type: Doctype; text: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text)
  const [known, setKnown] = useState(text)
  const settled = useDebounced(typed)
  if (text !== known) {
    setKnown(text)
    setTyped(text)
  }
  const search = useEffectEvent((wanted: string) => {
    // Only a text that was typed is news; a change of the URL was taken over above.
    if (wanted === typed && wanted !== text) onChange(wanted)
  })
  useEffect(() => search(settled), [settled])
  const fields = searchFields(type).map((field) => fieldWords(type, field).toLowerCase())
  const label = t('list.filter_text', { fields: joinOr(fields) })
  return (
    <label className="control flex h-8 w-60 items-center gap-2 border-border px-2.5 text-table shadow-xs max-md:h-11 max-md:w-full">
      <Search size={14} strokeWidth={1.75} aria-hidden="true" className="flex-none text-muted" />
      <input
        type="search"
        value={typed}
        placeholder={label}
        aria-label={label}
        onChange={(event) => setTyped(event.target.value)}
        className="h-full min-w-0 flex-1 bg-transparent outline-none [&::-webkit-search-cancel-button]:appearance-none"
      />
    </label>
  )
}

/** The row over a list: free text, filters as chips, a button for one more; `children` stand at its end. */
export function ListFilters({
  type,
  state,
  onChange,
  onFilters,
  adding,
  onAdding,
  children,
}: {
  type: Doctype
  state: ListState
  onChange: (change: Partial<ListState>, quiet?: boolean) => void
  /** The person changed the filters one by one. */
  onFilters: (filters: readonly FilterTriple[]) => void
  /** Whether the editor of a new filter is open. */
  adding: boolean
  onAdding: (open: boolean) => void
  children?: ReactNode
}) {
  const replace = (index: number, filter: FilterTriple | null) =>
    onFilters(state.filters.flatMap((present, at) => (at === index ? (filter ? [filter] : []) : [present])))
  return (
    <div role="search" className="mb-3 flex flex-wrap items-center gap-2">
      <TextFilter type={type} text={state.text} onChange={(text) => onChange({ text }, true)} />
      {state.filters.map((filter, index) => (
        <Chip
          key={JSON.stringify(filter)}
          type={type}
          filter={filter}
          onChange={(next) => replace(index, next)}
          onRemove={() => replace(index, null)}
        />
      ))}
      {state.any && state.any.length > 0 ? (
        <AnyChip type={type} any={state.any} onRemove={() => onChange({ any: [] })} />
      ) : null}
      <Popover
        label={t('list.filter_add')}
        open={adding}
        onOpenChange={onAdding}
        needs={needs}
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
            onFilters([...state.filters, filter])
          }}
          onClose={() => onAdding(false)}
        />
      </Popover>
      <span className="ml-auto flex items-center gap-2 max-md:w-full">{children}</span>
    </div>
  )
}
