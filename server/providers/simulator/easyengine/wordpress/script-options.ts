import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { ScriptContext, ScriptHandler } from './script-context.ts'
import type { WordPressState } from './state.ts'

type Values = Record<string, string | number>

/** Options of settings that are stored as they are. */
const plain: Readonly<Record<string, string>> = {
  title: 'blogname',
  tagline: 'blogdescription',
  permalinks: 'permalink_structure',
  admin_email: 'admin_email',
}

const languagesFolder = ({ root }: ScriptContext): string => join(root, 'wp-content/languages')

function languagesOf(context: ScriptContext): string[] {
  const folder = languagesFolder(context)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return ['en_US', ...names.filter((name) => name.endsWith('.mo')).map((name) => name.slice(0, -'.mo'.length))]
}

function valuesOf({ options }: WordPressState): Values {
  const text = (name: string): string => options[name] ?? ''
  return {
    ...Object.fromEntries(Object.entries(plain).map(([name, option]) => [name, text(option)])),
    timezone: text('timezone_string') || 'UTC',
    language: text('WPLANG') || 'en_US',
    search_engines: text('blog_public') === '1' ? 1 : 0,
    start_page: text('show_on_front') === 'page' ? text('page_on_front') : '',
  }
}

function save(context: ScriptContext, name: string, value: string | number): void {
  const { options } = context.state
  const option = plain[name]
  if (option !== undefined) options[option] = String(value)
  else if (name === 'timezone') options['timezone_string'] = value === 'UTC' ? '' : String(value)
  else if (name === 'search_engines') options['blog_public'] = String(value)
  else if (name === 'language' && languagesOf(context).includes(String(value)))
    options['WPLANG'] = value === 'en_US' ? '' : String(value)
  else if (name === 'start_page') {
    options['show_on_front'] = value === '' ? 'posts' : 'page'
    options['page_on_front'] = String(value)
  }
}

/** Reads and changes settings, all or none. */
export const optionsScript: ScriptHandler = (context, { changes = {}, expected = {}, operation }) => {
  const { state } = context
  const before = valuesOf(state)
  const wanted = Object.entries(changes as Values)
  const conflicts = wanted.map(([name]) => name).filter((name) => (expected as Values)[name] !== before[name])
  if (conflicts.length === 0) {
    if (typeof operation === 'string') state.settingsBefore = { operation, options: { ...state.options } }
    for (const [name, value] of wanted) save(context, name, value)
  }
  const values = valuesOf(state)
  const isRefused = ([name, value]: [string, unknown]) => value !== before[name] && values[name] === before[name]
  return {
    settings: {
      values,
      timezones: ['UTC', ...Intl.supportedValuesOf('timeZone')],
      languages: languagesOf(context),
      pages: Array.from({ length: state.pages }, (_, at) => ({ id: String(at + 2), title: `Page ${at + 1}` })),
    },
    conflicts,
    refused: conflicts.length > 0 ? [] : wanted.filter((one) => isRefused(one)).map(([name]) => name),
  }
}

/** Puts settings back as they were before an operation. */
export const undoOptionsScript: ScriptHandler = ({ state }, { operation }) => {
  const before = state.settingsBefore
  if (before !== undefined && before.operation === operation) {
    state.options = { ...before.options }
    delete state.settingsBefore
  }
  return { done: true }
}

/** Puts a translation in place that was unpacked beside those in use. */
export const languagesScript: ScriptHandler = (context, { staged, locale }) => {
  const from = join(context.root, 'wp-content/.easydash-previous/staged', basename(String(staged)))
  const name = `${String(locale)}.mo`
  const installed = existsSync(join(from, name))
  if (installed) {
    mkdirSync(languagesFolder(context), { recursive: true })
    renameSync(join(from, name), join(languagesFolder(context), name))
  }
  rmSync(from, { recursive: true, force: true })
  return { installed }
}

/** Makes a copy a site of its own. */
export const settleScript: ScriptHandler = ({ state }, { title, hidden }) => {
  for (const user of state.users) delete user.sessions
  if (typeof title === 'string') state.options['blogname'] = title
  if (hidden === true) state.options['blog_public'] = '0'
  return { settled: true }
}
