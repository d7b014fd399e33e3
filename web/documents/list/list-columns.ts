import type { ReactElement, ReactNode } from 'react'
import { fieldLabel, type Doctype } from '#shared/doctype.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import type { Described } from '#web/ui/overlay/hover-card.tsx'
import type { Breakpoint } from '#web/lib/browser/use-breakpoint.ts'
import type { ListRow } from '../values/cells.tsx'

/** A column of a list besides how it renders. The first one names the row and is always shown. */
export interface ColumnOptions {
  /** Field of the doctype (or a standard field) to show and sort by. */
  readonly field: string
  /** Header; defaults to the field's label. */
  readonly label?: string
  /** Additional fields that rendering needs. */
  readonly also?: readonly string[]
  /** Right-aligned, for numbers. */
  readonly right?: boolean
  /** Minimum breakpoint; defaults to tablet. */
  readonly from?: Exclude<Breakpoint, 'phone'>
  /** Never left out of a table without room for all: without it a row says nothing. */
  readonly stays?: boolean
  /** Hidden until the user turns it on. */
  readonly off?: boolean
  /** Can't be sorted; fields without an index never can (`sortableColumns`). */
  readonly unsortable?: boolean
  /** Also shown on cards. */
  readonly card?: boolean
}

/** A column of a list of `R`, with how it renders. `F` are the fields it can be about. */
export interface ListColumn<R extends ListRow = ListRow, F extends string = keyof R & string> extends ColumnOptions {
  readonly field: F
  /** Renders a cell; defaults to the field's description. */
  readonly render?: (row: R) => ReactNode
  /** First column only: text of the row's link; defaults to the document's title. */
  readonly title?: (row: R) => ReactNode
  /** First column only: icon before the name. */
  readonly icon?: (row: R) => ReactNode
  /** First column only: wraps the link in a table, e.g. in a hover card with the full name. */
  readonly around?: (row: R, link: Described) => ReactElement
  /** First column only: content after the name, outside its link. */
  readonly badge?: (row: R) => ReactNode
  /** First column only: what the row asks its reader to do, as a button of the card on phones, which has no room for columns. */
  readonly cardButton?: (row: R) => ReactNode
}

/** The words and cells of columns, by field, for lists that read their rows before these are here. */
export type ListCells<R extends ListRow, F extends string = keyof R & string> = Partial<
  Record<F, Omit<ListColumn<R, F>, keyof ColumnOptions> & Pick<ColumnOptions, 'label'>>
>

/** Columns with their words and cells. */
export const withCells = <R extends ListRow, F extends string>(
  columns: readonly (ColumnOptions & { readonly field: F })[],
  cells: ListCells<R, F>,
): readonly ListColumn<R, F>[] => columns.map((column) => ({ ...column, ...cells[column.field] }))

const standardLabels: Readonly<Record<string, string>> = {
  creation: 'Created',
  modified: 'Changed',
  owner: 'Created by',
}

/** Header of a column. */
export function columnLabel(type: Doctype, column: ColumnOptions): string {
  if (column.label) return column.label
  const known = type.fields[column.field]
  return translateText(known ? fieldLabel(column.field, known) : (standardLabels[column.field] ?? column.field))
}

/** Columns from the description, for doctypes without a list of their own. */
export function defaultColumns(type: Doctype): ColumnOptions[] {
  const names = Object.keys(type.fields).filter((name) => type.fields[name]?.in_list_view && name !== type.title_field)
  const title = type.title_field && type.title_field in type.fields ? type.title_field : 'name'
  const fields: ColumnOptions[] = names.map((field) => {
    const kind = type.fields[field]?.fieldtype
    return { field, right: kind === 'Int' || kind === 'Float', card: field === 'status' }
  })
  return [{ field: title }, ...fields, { field: 'creation', from: 'desktop' }]
}

/** Names of visible columns: the user's choice, else those not off by default. */
export function visibleFields(columns: readonly ColumnOptions[], chosen: readonly string[] | null): string[] {
  const [first, ...others] = columns
  const on = others.filter((column) => (chosen ? chosen.includes(column.field) : !column.off))
  return [...(first ? [first.field] : []), ...on.map((column) => column.field)]
}

/** Columns shown at a breakpoint. */
export function columnsAtBreakpoint<C extends ColumnOptions>(
  columns: readonly C[],
  visible: readonly string[],
  breakpoint: Breakpoint,
): C[] {
  return columns.filter((column, index) => {
    if (index === 0) return true
    if (!visible.includes(column.field)) return false
    return breakpoint === 'desktop' || column.from !== 'desktop'
  })
}
