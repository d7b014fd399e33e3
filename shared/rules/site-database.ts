/** Limits of what is read of a site's database at once. */
export const databaseLimits = {
  tables: 500,
  /** Columns of a table that are shown. */
  columns: 60,
  rows: 50,
  /** Rows of a table or of a filter's result that are counted. */
  counted: 1_000_000,
  /** Characters of a name. */
  name: 190,
  /** Characters of a filter's value. */
  value: 500,
  /** Characters of a cell in a list of rows. */
  preview: 160,
  /** Characters of a text, or bytes of a binary value, that are read at once. */
  part: 24_000,
  /** Rows of a statement's result. */
  result: 200,
} as const

/** How a filter compares a column with its value. */
export const cellOperators = ['contains', 'equals', 'differs', 'starts', 'less', 'greater', 'null', 'not_null'] as const

/** One of `cellOperators`. */
export type CellOperator = (typeof cellOperators)[number]

/** Operators that compare with nothing. */
export const operatorsWithoutValue: ReadonlySet<CellOperator> = new Set(['null', 'not_null'])
