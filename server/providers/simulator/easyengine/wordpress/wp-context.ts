import type { SiteRow } from '../database.ts'
import { formatItems } from '../format.ts'
import type { Machine } from '../machine.ts'
import type { Options } from '../parse-call.ts'
import { misbehaves } from '../sqlite3.ts'
import type { WordPressState } from './state.ts'

/** Ends a command of WP-CLI with exit code 1 and this error. */
export class WpError extends Error {}

/** A call of WP-CLI on a site. */
export interface WpContext {
  readonly machine: Machine
  readonly site: SiteRow
  /** Changes are stored when the command ends well. */
  readonly state: WordPressState
  readonly words: readonly string[]
  readonly options: Options
  success(text: string): void
  warning(text: string): void
}

export type WpHandler = (context: WpContext) => void

/** The value of an option; null if it has none. */
export function wpText({ options }: Pick<WpContext, 'options'>, name: string): string | null {
  const value = options[name]
  return typeof value === 'string' ? value : null
}

/** Prints items as `--format`, `--fields` and `--field` say. */
export function printItems(
  context: WpContext,
  items: readonly Readonly<Record<string, unknown>>[],
  usual: readonly string[],
): void {
  const { machine } = context
  const field = wpText(context, 'field')
  const format = wpText(context, 'format') ?? 'table'
  const fields = field === null ? (wpText(context, 'fields')?.split(',') ?? usual) : [field]
  const unknown = fields.find((name) => items.length > 0 && items[0]?.[name] === undefined)
  if (unknown !== undefined) throw new WpError(`Invalid field: ${unknown}.`)
  if (format === 'json' && misbehaves(machine)) return
  if (field === null) return machine.out(formatItems(items, fields, format))
  machine.out(
    format === 'json'
      ? JSON.stringify(items.map((one) => one[field]))
      : items.map((one) => `${String(one[field])}\n`).join(''),
  )
}
