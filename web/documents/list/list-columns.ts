import type { ReactElement, ReactNode } from 'react'
import { fieldLabel, type Doctype } from '#shared/doctype.ts'
import { described } from '#web/lib/i18n/catalogue.ts'
import type { Described } from '#web/ui/overlay/hover-card.tsx'
import type { Breakpoint } from '#web/lib/browser/use-breakpoint.ts'
import type { ListRow } from './cells.tsx'
import { listFields } from './list-query.ts'

/** A column of a list. The first one names the row and is always there. */
export interface ListColumn {
  /** Field of the doctype (or a standard field) that it shows and sorts by. */
  readonly field: string
  /** Head; default the field's label. */
  readonly label?: string
  /** How it is drawn; default by the field's description. */
  readonly render?: (row: ListRow) => ReactNode
  /** Of the first column: what the row's link says; default the title of its document. */
  readonly title?: (row: ListRow) => ReactNode
  /** Of the first column: a picture before the name. */
  readonly icon?: (row: ListRow) => ReactNode
  /** Of the first column: what stands around the link in a table, e.g. a hover card that says the name in full. */
  readonly around?: (row: ListRow, link: Described) => ReactElement
  /** Of the first column: what stands behind the name, outside its link. */
  readonly badge?: (row: ListRow) => ReactNode
  /** Fields the drawing needs beside its own. */
  readonly also?: readonly string[]
  /** Numbers stand right. */
  readonly right?: boolean
  /** Shown from this width on; default from tablets on. */
  readonly from?: Exclude<Breakpoint, 'phone'>
  /** Off until somebody turns it on. */
  readonly off?: boolean
  /** What it shows has no order of its own. */
  readonly unsortable?: boolean
  /** Also on the cards of phones. */
  readonly card?: boolean
}

const standardLabels: Readonly<Record<string, string>> = {
  creation: 'Created',
  modified: 'Changed',
  owner: 'Created by',
}

/** Head of a column. */
export function columnLabel(type: Doctype, column: ListColumn): string {
  if (column.label) return column.label
  const known = type.fields[column.field]
  return described(known ? fieldLabel(column.field, known) : (standardLabels[column.field] ?? column.field))
}

/** Columns the description itself asks for, for doctypes without a list of their own. */
export function defaultColumns(type: Doctype): ListColumn[] {
  const names = Object.keys(type.fields).filter((name) => type.fields[name]?.in_list_view && name !== type.title_field)
  const title = type.title_field && type.title_field in type.fields ? type.title_field : 'name'
  const fields: ListColumn[] = names.map((field) => {
    const kind = type.fields[field]?.fieldtype
    return { field, right: kind === 'Int' || kind === 'Float', card: field === 'status' }
  })
  return [{ field: title }, ...fields, { field: 'creation', from: 'desktop' }]
}

/** Names of the columns that are on: the chosen ones where somebody chose, else those not off by default. */
export function visibleFields(columns: readonly ListColumn[], chosen: readonly string[] | null): string[] {
  const [first, ...others] = columns
  const on = others.filter((column) => (chosen ? chosen.includes(column.field) : !column.off))
  return [...(first ? [first.field] : []), ...on.map((column) => column.field)]
}

/** Columns drawn at a width. */
export function drawnColumns(
  columns: readonly ListColumn[],
  visible: readonly string[],
  breakpoint: Breakpoint,
): ListColumn[] {
  return columns.filter((column, index) => {
    if (index === 0) return true
    if (!visible.includes(column.field)) return false
    return breakpoint === 'desktop' || column.from !== 'desktop'
  })
}

/** The field that marks a favorite; as a column it is the star before the name. */
export const favoriteField = 'favorite'

/** Whether rows of a doctype can be marked as favorites. */
export function hasFavorites(type: Doctype): boolean {
  return type.fields[favoriteField]?.personal === true
}

/** Fields a request needs for the columns and for the gates of the row's actions. */
export function requestFields(type: Doctype, columns: readonly ListColumn[]): string[] {
  const gate = ['owner', 'status', 'locked_by_job'].filter((name) => name === 'owner' || name in type.fields)
  return listFields(type, [...columns.flatMap((column) => [column.field, ...(column.also ?? [])]), ...gate])
}
