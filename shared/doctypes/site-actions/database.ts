import { check, data, int, select } from '../../fields.ts'
import { cellOperators, databaseLimits } from '../../rules/site-database.ts'
import { sharedGrants } from './grants.ts'

const name = (label: string) => data({ reqd: true, length: databaseLimits.name, label })

/** The database holds content and the addresses of visitors, so seeing it takes what changing the site takes. */
const browsing = {
  allow: sharedGrants('write'),
  for: ['site_type', '=', 'wp'],
  from: ['Live', 'Failed'],
  reads: true,
  tokens: 'sites:write',
  capability: 'database',
  while_locked: true,
  hidden: true,
} as const

/** Actions on the database of a site. */
export const databaseActions = {
  database_tables: { ...browsing, label: 'List tables of the database', returns: 'DatabaseTables' },
  database_rows: {
    ...browsing,
    label: 'Show rows of a table',
    args: {
      table: name('Table'),
      start: int({ min: 0, max: 1_000_000_000, default: 0, label: 'From' }),
      sort: data({ length: databaseLimits.name, label: 'Sort by' }),
      descending: check({ label: 'Descending' }),
      filter_column: data({ length: databaseLimits.name, label: 'Filtered column' }),
      filter_operator: select(cellOperators, { default: 'contains', label: 'Comparison' }),
      filter_value: data({ length: databaseLimits.value, label: 'Value' }),
    },
    returns: 'DatabaseRows',
  },
  database_cell: {
    ...browsing,
    label: 'Show a value',
    args: {
      table: name('Table'),
      column: name('Column'),
      row: data({ reqd: true, length: 30, label: 'Row', description: '`row` of an answer of `database_rows`.' }),
      start: int({ min: 0, max: 1_000_000_000, default: 0, label: 'From' }),
    },
    returns: 'DatabaseValue',
  },
} as const
