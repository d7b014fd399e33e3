import type { Action, AnyDoc, Doctype } from '#shared/doctype.ts'
import { jobLabel, type Labelled } from '#web/lib/api/job-label.ts'
import { gateAction, type Capabilities, type PermissionBits, type Viewer } from '../actions/action-gate.ts'
import type { ListRow } from '../list/cells.tsx'

/** A row that an action leaves out, and why; null: the person's role or the row's state does not have it. */
export interface SkippedRow {
  readonly row: ListRow
  readonly reason: string | null
}

/** A declared action over the selected rows. */
export interface BulkChoice {
  readonly name: string
  readonly action: Action
  /** Rows it is possible for. */
  readonly rows: readonly ListRow[]
  readonly skipped: readonly SkippedRow[]
}

/** What the server knows of a row beyond its fields; absent: it decides. */
export interface RowFacts {
  readonly bits?: PermissionBits
  readonly capabilities?: Capabilities
}

/** A row as the gates of its actions take it. */
export function rowDoc(type: Doctype, row: ListRow): AnyDoc {
  return { owner: '', creation: '', modified: '', modified_by: '', docstatus: 0, idx: 0, ...row, doctype: type.name }
}

/** Name of a row for people. */
export function rowTitle(type: Doctype, row: ListRow): string {
  // The server's words, not a name somebody gave.
  if (type.name === 'Job') return jobLabel(row as Labelled) || row.name
  const title = type.title_field ? row[type.title_field] : null
  return typeof title === 'string' && title !== '' ? title : row.name
}

/** Whether an action can be done on many at once: what each row needs is known from the row and one set of arguments. */
export function isBulkAction(action: Action): boolean {
  return action.hidden !== true && action.reauth !== true
}

/** The declared actions that are possible for at least one of the rows; those for most rows first, dangerous ones last. */
export function bulkChoices(
  type: Doctype,
  rows: readonly ListRow[],
  viewer: Viewer,
  factsOf: (row: ListRow) => RowFacts = () => ({}),
): BulkChoice[] {
  const choices = Object.entries(type.actions ?? {}).flatMap(([name, action]): BulkChoice[] => {
    if (!isBulkAction(action)) return []
    const fitting: ListRow[] = []
    const skipped: SkippedRow[] = []
    for (const row of rows) {
      const gate = gateAction(type, action, rowDoc(type, row), viewer, factsOf(row))
      if (gate.shown && gate.enabled) fitting.push(row)
      else skipped.push({ row, reason: gate.shown && !gate.enabled ? gate.reason : null })
    }
    return fitting.length > 0 ? [{ name, action, rows: fitting, skipped }] : []
  })
  return choices.toSorted(
    (a, b) => Number(a.action.danger ?? false) - Number(b.action.danger ?? false) || b.rows.length - a.rows.length,
  )
}
