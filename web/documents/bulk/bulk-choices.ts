import type { Action, AnyDoc, Doctype } from '#shared/doctype.ts'
import { displayName } from '#shared/rules/display-name.ts'
import { jobLabel } from '#web/documents/jobs/job-label.ts'
import { formatAbsolute } from '#web/lib/i18n/format.ts'
import { gateAction, type Capabilities, type PermissionBits } from '../actions/action-gate.ts'
import type { Viewer } from '../actions/viewer.ts'
import { linkTitleKey } from '../query/list-request.ts'
import type { ListRow } from '../values/cells.tsx'

/** A row that an action skips, and why; null if the user's role or the row's state doesn't allow it. */
export interface SkippedRow {
  readonly row: ListRow
  readonly reason: string | null
}

/** A declared action for the selected rows. */
export interface BulkChoice {
  readonly name: string
  readonly action: Action
  /** Rows the action is available for. */
  readonly rows: readonly ListRow[]
  readonly skipped: readonly SkippedRow[]
  /** How many of the rows the action that it can do first is not possible for. */
  readonly withoutFirst: number
}

/**
 * Does an action on many rows elsewhere: on the server, where it goes on without this tab. Null if it can't do this one.
 * Rejects with `ApiError`.
 */
export type BulkStart = (
  action: string,
  args: Readonly<Record<string, string | number>>,
  names: readonly string[],
) => Promise<void> | null

/** What the server knows about a row beyond its fields. If absent, the server decides. */
export interface RowAccess {
  readonly bits?: PermissionBits
  readonly capabilities?: Capabilities
}

/** A row in the shape that action gates take. */
export function rowDoc(type: Doctype, row: ListRow): AnyDoc {
  return { owner: '', creation: '', modified: '', modified_by: '', docstatus: 0, idx: 0, ...row, doctype: type.name }
}

/** Display name of a row. */
export function rowTitle(type: Doctype, row: ListRow): string {
  // Job labels are server texts, not user-given names.
  if (type.name === 'Job') {
    const { label, reference_title: about } = row
    if (typeof label !== 'string') return row.name
    return jobLabel({ label, reference_title: typeof about === 'string' ? about : null }) || row.name
  }
  const title = displayName(type, row) ?? row.name
  if (type.name !== 'Site Backup') return title
  // All backups of a site have its name.
  const [site, taken] = [row[linkTitleKey('site')], row['taken_at'] ?? row['creation']]
  const name = typeof site === 'string' && site !== '' ? site : title
  return typeof taken === 'string' ? `${name}, ${formatAbsolute(taken)}` : name
}

/** Display names of rows beside each other, with the title where several have the same name: a clone has that of its source. */
export function titlesAmong(type: Doctype, rows: readonly ListRow[]): (row: ListRow) => string {
  const times = new Map<string, number>()
  for (const name of rows.map((row) => rowTitle(type, row))) times.set(name, (times.get(name) ?? 0) + 1)
  return (row) => {
    const name = rowTitle(type, row)
    const title = type.title_field === undefined ? undefined : row[type.title_field]
    return (times.get(name) ?? 0) > 1 && typeof title === 'string' && title !== name ? `${name} (${title})` : name
  }
}

/** What tells a row from others of its name, if it has a name of its own: a site's address. */
export function detailOf(type: Doctype, row: ListRow): string | null {
  const title = type.display_field === undefined || type.title_field === undefined ? null : row[type.title_field]
  return typeof title === 'string' && title !== rowTitle(type, row) ? title : null
}

/** Whether an action can run on multiple rows: the rows and one set of arguments provide all it needs. */
export function isBulkAction(action: Action): boolean {
  return action.hidden !== true && action.reauth !== true
}

/** Declared actions available for at least one of the rows: frequent ones first, then those for most rows, dangerous ones last. */
export function bulkChoices(
  type: Doctype,
  rows: readonly ListRow[],
  viewer: Viewer,
  accessOf: (row: ListRow) => RowAccess = () => ({}),
): BulkChoice[] {
  const choices = Object.entries(type.actions ?? {}).flatMap(([name, action]): BulkChoice[] => {
    if (!isBulkAction(action)) return []
    const fitting: ListRow[] = []
    const skipped: SkippedRow[] = []
    const gateOf = (one: Action, row: ListRow) => gateAction(type, one, rowDoc(type, row), viewer, accessOf(row))
    for (const row of rows) {
      const gate = gateOf(action, row)
      if (gate.shown && gate.enabled) fitting.push(row)
      else skipped.push({ row, reason: gate.shown && !gate.enabled ? gate.reason : null })
    }
    const first = action.first === undefined ? undefined : type.actions?.[action.first]
    const withoutFirst = fitting.filter((row) => {
      const gate = first && gateOf(first, row)
      return gate && !(gate.shown && gate.enabled)
    }).length
    return fitting.length > 0 ? [{ name, action, rows: fitting, skipped, withoutFirst }] : []
  })
  const often = type.list?.bulk_first ?? []
  const rank = ({ name }: BulkChoice) => (often.includes(name) ? often.indexOf(name) : often.length)
  return choices.toSorted(
    (a, b) =>
      Number(a.action.danger ?? false) - Number(b.action.danger ?? false) ||
      rank(a) - rank(b) ||
      b.rows.length - a.rows.length,
  )
}
