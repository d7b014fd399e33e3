import { rmSync } from 'node:fs'
import { flushObjects } from '../redis.ts'
import { prefixOf } from './dump.ts'
import type { WordPressState } from './state.ts'
import { databaseCommands } from './wp-database.ts'
import { isInMaintenance, maintenanceCommands, maintenanceFile } from './wp-core.ts'
import { printItems, WpError, wpText, type WpContext } from './wp-context.ts'

/** What `preg_replace` of PHP puts in place of a match: groups are `\n`, `\nn`, `$n`, `$nn` or `${n}`, and empty if there is none of the number. */
export const phpReplacement = (replacement: string, groups: readonly unknown[]): string =>
  replacement.replaceAll(
    /\\([\\$])|(?:[\\$](\d{1,2})|\$\{(\d{1,2})\})/g,
    (_all, escaped?: string, plain?: string, braced?: string) =>
      escaped ?? String(groups[Number(plain ?? braced)] ?? ''),
  )

/** Replaces in options and in tables that were added, and reports by table and column. */
function searchReplace(context: WpContext): void {
  const { state, words, options, machine } = context
  const [given = '', replacement = '', ...named] = words
  const prefix = prefixOf(context)
  const isChosen = (table: string) => (named.length === 0 ? table.startsWith(prefix) : named.includes(table))
  const isPattern = options['regex'] === true
  const from = isPattern ? new RegExp(given, `g${wpText(context, 'regex-flags') ?? ''}`) : given
  const isDry = options['dry-run'] === true
  const count = (text: string) => text.split(from).length - 1
  const replaced = (value: string) =>
    isPattern
      ? value.replace(from, (...match) => phpReplacement(replacement, match.slice(0, -2)))
      : value.split(from).join(replacement)
  const places = [state.options, state.tables ?? {}].flatMap((place, at) =>
    Object.keys(place)
      .filter((name) => isChosen(at === 0 ? `${prefix}options` : name))
      .map((name) => ({ place, name, value: place[name] ?? '' })),
  )
  const inOptions = places.reduce((sum, { value }) => sum + Math.min(1, count(value)), 0)
  if (!isDry) for (const { place, name, value } of places) place[name] = replaced(value)
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

/** Of what PHP reads as a time only `now` and seconds since 1970 are simulated. */
function scheduleEvent(context: WpContext): void {
  const { state, words } = context
  const [hook = '', given = 'now'] = words
  const now = Math.floor(Date.now() / 1000)
  const next = given === 'now' || given === '' ? now : /^\d+$/.test(given) ? Number(given) : 0
  if (next === 0) throw new WpError(`'${given}' is not a valid datetime.`)
  // WordPress itself takes a single event once in ten minutes.
  const from = next < now + nearSeconds ? 0 : next - nearSeconds
  const until = Math.max(next, now) + nearSeconds
  if (state.events.some((event) => event.hook === hook && event.next >= from && event.next <= until))
    throw new WpError('Event not scheduled.')
  state.events.push({ hook, next, recurrence: '' })
  const time = new Date(next * 1000).toISOString().slice(0, 19).replace('T', ' ')
  context.success(`Scheduled event with hook '${hook}' for ${time} GMT.`)
}

const nearSeconds = 600

function runEvents(context: WpContext): void {
  const { state, words, options } = context
  if (words.length === 0 && options['due-now'] !== true && options['all'] !== true)
    throw new WpError('Please specify one or more cron events, or use --due-now/--all.')
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
  context.success(`Executed a total of ${chosen.length} cron event${chosen.length === 1 ? '' : 's'}.`)
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
  'cron event schedule': scheduleEvent,
  'cache flush': (context: WpContext) => {
    flushObjects(context.machine, context.site)
    context.success('The cache was flushed.')
  },
  'cache type': (context: WpContext) =>
    context.machine.out(context.site['cache_app_object'] === '1' ? 'Redis\n' : 'Default\n'),
  'transient delete': (context: WpContext) => context.success('0 transients deleted from the database.'),
  'rewrite flush': (context: WpContext) => context.success('Rewrite rules flushed.'),
  ...databaseCommands,
}
