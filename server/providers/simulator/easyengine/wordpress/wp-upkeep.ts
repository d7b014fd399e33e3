import { rmSync } from 'node:fs'
import { containerPath } from '../layout.ts'
import { put, readIfThere } from '../machine.ts'
import { dumpOf, readDump } from './dump.ts'
import { readRealDump } from './read-dump.ts'
import type { WordPressState } from './state.ts'
import { isInMaintenance, maintenanceCommands, maintenanceFile } from './wp-core.ts'
import { printItems, WpError, wpText, type WpContext } from './wp-context.ts'

/** What `preg_replace` of PHP puts in place of a match: groups are `\n`, `\nn`, `$n`, `$nn` or `${n}`, and empty if there is none of the number. */
export const phpReplacement = (replacement: string, groups: readonly unknown[]): string =>
  replacement.replaceAll(
    /\\([\\$])|(?:[\\$](\d{1,2})|\$\{(\d{1,2})\})/g,
    (_all, escaped?: string, plain?: string, braced?: string) =>
      escaped ?? String(groups[Number(plain ?? braced)] ?? ''),
  )

/** Replaces in options and users, and reports by table and column. */
function searchReplace(context: WpContext): void {
  const { state, words, options, machine } = context
  const [given = '', replacement = ''] = words
  const isPattern = options['regex'] === true
  const from = isPattern ? new RegExp(given, `g${wpText(context, 'regex-flags') ?? ''}`) : given
  const isDry = options['dry-run'] === true
  const count = (text: string) => text.split(from).length - 1
  const inOptions = Object.values(state.options).reduce((sum, value) => sum + Math.min(1, count(value)), 0)
  if (!isDry)
    for (const [name, value] of Object.entries(state.options))
      state.options[name] = isPattern
        ? value.replace(from, (...match) => phpReplacement(replacement, match.slice(0, -2)))
        : value.split(from).join(replacement)
  const rows = [
    { Table: 'wp_options', Column: 'option_value', Replacements: inOptions, Type: 'PHP' },
    { Table: 'wp_posts', Column: 'post_content', Replacements: 0, Type: 'SQL' },
  ]
  if (wpText(context, 'format') === 'count') return machine.out(`${inOptions}\n`)
  printItems(context, rows, ['Table', 'Column', 'Replacements', 'Type'])
  context.success(isDry ? `${inOptions} replacements to be made.` : `Made ${inOptions} replacements.`)
}

function listEvents(context: WpContext): void {
  const now = Date.now() / 1000
  const items = context.state.events.map(({ hook, next, recurrence }) => ({
    hook,
    next_run_gmt: new Date(next * 1000).toISOString().slice(0, 19).replace('T', ' '),
    next_run_relative: next <= now ? 'now' : `${Math.ceil((next - now) / 60)} minutes`,
    recurrence,
    args: [],
    time: next,
  }))
  printItems(context, items, ['hook', 'next_run_gmt', 'next_run_relative', 'recurrence'])
}

function runEvents(context: WpContext): void {
  const { state, words, options } = context
  const now = Math.floor(Date.now() / 1000)
  const isChosen = ({ hook, next }: WordPressState['events'][number]) =>
    options['all'] === true || (options['due-now'] === true ? next <= now : words.includes(hook))
  const chosen = state.events.filter((event) => isChosen(event))
  const missing = words.find((word) => !state.events.some(({ hook }) => hook === word))
  if (missing !== undefined) throw new WpError(`Invalid cron event '${missing}'`)
  for (const event of chosen) {
    context.machine.out(`Executed the cron event '${event.hook}' in 0.01s.\n`)
    event.next = now + 43_200
    // Once.
    if (event.recurrence === '') state.events = state.events.filter((one) => one !== event)
  }
  context.success(`Executed a total of ${chosen.length} cron events.`)
}

function exportDatabase(context: WpContext): void {
  const { machine, site, state, words } = context
  const dump = dumpOf({ machine, site, state })
  const file = words[0] ?? `${site['db_name']}.sql`
  if (file === '-') return machine.out(dump)
  if (machine.trap('disk_full') !== null) throw new WpError('mysqldump: Error 28: No space left on device')
  put(pathOf(context, file), dump)
  context.success(`Exported to '${file}'.`)
}

const pathOf = ({ machine, site }: WpContext, file: string): string =>
  containerPath(machine, site, file.startsWith('/') ? file : `${site.site_container_fs_path}/${file}`)

function importDatabase(context: WpContext): void {
  const { machine, site, state, words } = context
  const file = words[0] ?? `${site['db_name']}.sql`
  const text = file === '-' ? machine.readInput() : readIfThere(pathOf(context, file))
  if (text === null) throw new WpError(`Import file missing or not readable: ${file}`)
  // What removes the tables that a dump does not name: here there are none.
  const dump = text.replace(/^(?:(?:SET|EXECUTE IMMEDIATE) .*\n)+(?=-- )/, '')
  const imported = readDump(dump) ?? readRealDump(dump)
  if (!imported) throw new WpError('ERROR 1064 (42000) at line 1: You have an error in your SQL syntax')
  Object.assign(state, imported)
  context.success(`Imported from '${file === '-' ? 'STDIN' : file}'.`)
}

function size(context: WpContext): void {
  const bytes = JSON.stringify(context.state).length + 600_000
  if (wpText(context, 'size_format') !== null) return context.machine.out(`${bytes}\n`)
  printItems(context, [{ Name: context.site['db_name'], Size: `${bytes} B` }], ['Name', 'Size'])
}

export const upkeepCommands = {
  ...maintenanceCommands,
  'maintenance-mode deactivate': (context: WpContext) => {
    if (!isInMaintenance(context)) throw new WpError('Maintenance mode already deactivated.')
    rmSync(maintenanceFile(context))
    context.success('Deactivated Maintenance mode.')
  },
  'search-replace': searchReplace,
  'cron event list': listEvents,
  'cron event run': runEvents,
  'cache flush': (context: WpContext) => context.success('The cache was flushed.'),
  'cache type': (context: WpContext) =>
    context.machine.out(context.site['cache_app_object'] === '1' ? 'Redis\n' : 'Default\n'),
  'transient delete': (context: WpContext) => context.success('0 transients deleted from the database.'),
  'rewrite flush': (context: WpContext) => context.success('Rewrite rules flushed.'),
  'db export': exportDatabase,
  'db import': importDatabase,
  // What is not imported again afterward is gone.
  'db clean': (context: WpContext) => {
    Object.assign(context.state, { options: {}, users: [], activePlugins: [], posts: 0, pages: 0, comments: 0 })
    context.success('Tables dropped.')
  },
  'db size': size,
  'db check': (context: WpContext) => context.success('Database checked.'),
}
