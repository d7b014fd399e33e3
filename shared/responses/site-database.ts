import * as z from 'zod/mini'
import { databaseLimits } from '../rules/site-database.ts'
import { described } from '../schema.ts'

const name = z.string().check(z.maxLength(databaseLimits.name))
const count = z.int().check(z.nonnegative())

const table = z.object({
  name,
  rows: described(z.nullable(count), 'Null: not counted in time'),
  more: described(z.boolean(), 'There are more rows than were counted'),
  bytes: described(z.nullable(count), 'Estimated from some rows; null: not measured in time'),
  columns: count,
})

/** A table of a site's database. */
export type DatabaseTable = z.infer<typeof table>

/** The tables of a site's database (`database_tables`). */
export const databaseTables = z.object({
  bytes: described(count, 'Size of the whole database'),
  tables: z.array(table).check(z.maxLength(databaseLimits.tables)),
  omitted: described(count, 'Tables that are not listed because there are too many'),
})

/** The tables of a site's database. */
export type DatabaseTables = z.infer<typeof databaseTables>

/** Kinds of values. `hidden`: a secret, such as the hash of a password. */
export const cellKinds = ['number', 'text', 'binary', 'hidden'] as const

/** A value in a list of rows; null is NULL. */
export const databaseCell = z.nullable(
  z.object({
    kind: z.enum(cellKinds),
    text: described(z.string(), 'The value or its beginning; hexadecimal if it is binary'),
    bytes: described(count, 'Of the whole value'),
    cut: described(z.boolean(), 'Only its beginning is here'),
  }),
)

/** A value in a list of rows; null is NULL. */
export type DatabaseCell = z.infer<typeof databaseCell>

const column = z.object({
  name,
  type: z.string().check(z.maxLength(300)),
  key: described(z.boolean(), 'Part of the primary key'),
  hidden: described(z.boolean(), 'All of its values are secrets; it can be neither filtered nor sorted by'),
})

/** A column of a table. */
export type DatabaseColumn = z.infer<typeof column>

/** Some rows of a table (`database_rows`). */
export const databaseRows = z.object({
  columns: z.array(column).check(z.maxLength(databaseLimits.columns)),
  omitted: described(count, 'Columns that are not shown because there are too many'),
  rows: z
    .array(
      z.object({
        row: described(
          z.nullable(z.string().check(z.maxLength(30))),
          'Names it for `database_cell`; null: not possible',
        ),
        cells: z.array(databaseCell).check(z.maxLength(databaseLimits.columns)),
      }),
    )
    .check(z.maxLength(databaseLimits.rows)),
  total: described(z.nullable(count), 'Rows that match; null: not counted in time'),
  more: described(z.boolean(), 'There are more rows than were counted'),
  last: described(z.boolean(), 'No rows follow'),
})

/** Some rows of a table. */
export type DatabaseRows = z.infer<typeof databaseRows>

/** A part of a value (`database_cell`). */
export const databaseValue = z.object({
  kind: z.enum(cellKinds),
  text: described(z.string().check(z.maxLength(2 * databaseLimits.part)), 'Hexadecimal if the value is binary'),
  bytes: described(count, 'Of the whole value'),
  next: described(z.nullable(count), '`start` of the next part; null: this was the last one'),
})

/** A part of a value. */
export type DatabaseValue = z.infer<typeof databaseValue>
