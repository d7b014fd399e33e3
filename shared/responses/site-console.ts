import * as z from 'zod/mini'
import { consoleLimits, consoleKinds, consoleStates } from '../rules/site-console.ts'
import { databaseLimits } from '../rules/site-database.ts'
import { described, person, timestamp } from '../schema.ts'
import { databaseCell } from './site-database.ts'

const count = z.int().check(z.nonnegative())
const undo = described(
  z.nullable(z.string().check(z.maxLength(32))),
  'Names the state before for `undo_sql`; null: nothing was changed',
)

/** What a statement returned (`run_sql`). */
export const sqlResult = z.object({
  columns: z.array(z.string().check(z.maxLength(databaseLimits.name))).check(z.maxLength(databaseLimits.columns)),
  omitted: described(count, 'Columns that are not shown because there are too many'),
  rows: z
    .array(z.array(databaseCell).check(z.maxLength(databaseLimits.columns)))
    .check(z.maxLength(databaseLimits.result)),
  more: described(z.boolean(), 'There are more rows than are shown'),
  affected: described(z.nullable(count), 'Rows that were changed; null for a statement that returns rows'),
  ms: count,
  undo,
  error: z.optional(
    described(
      z.string().check(z.maxLength(1_000)),
      'What ended it early; only if it changed something before, see `undo`',
    ),
  ),
})

/** What a statement returned. */
export type SqlResult = z.infer<typeof sqlResult>

/** What taking back a statement returns (`undo_sql`): the state that it replaced can be put back, too. */
export const sqlUndone = z.object({ undo: z.string().check(z.maxLength(32)) })

/** What PHP code did (`run_php`). */
export const phpResult = z.object({
  output: described(z.string().check(z.maxLength(consoleLimits.output)), 'What it printed'),
  value: described(z.nullable(z.string().check(z.maxLength(consoleLimits.output))), 'What it returned'),
  error: described(
    z.nullable(
      z.object({
        message: z.string().check(z.maxLength(1_000)),
        file: described(z.string().check(z.maxLength(300)), 'Empty: the code itself'),
        line: count,
      }),
    ),
    'What ended it early',
  ),
  cut: described(z.boolean(), 'There was more output'),
  ms: count,
})

/** What PHP code did. */
export type PhpResult = z.infer<typeof phpResult>

/** What a command of WP-CLI did (`run_wp`). */
export const wpResult = z.object({
  output: described(z.string().check(z.maxLength(consoleLimits.output)), 'What it printed, errors included'),
  code: described(count, 'Its exit code; 0: it did what it was told'),
  cut: described(z.boolean(), 'There was output before this'),
  ms: count,
})

/** What a command of WP-CLI did. */
export type WpResult = z.infer<typeof wpResult>

/** What was run in the consoles of a site, newest first (`console_runs`). */
export const consoleRuns = z.array(
  z.object({
    id: z.string(),
    kind: z.enum(consoleKinds),
    code: described(z.string(), 'At most its beginning; what looks like a secret is left out'),
    characters: described(count, 'Of the whole code'),
    user: person,
    started: timestamp,
    state: described(z.enum(consoleStates), 'Running: or Easydash ended before it did'),
    ms: z.nullable(count),
  }),
)

/** What was run in the consoles of a site. */
export type ConsoleRun = z.infer<typeof consoleRuns>[number]
