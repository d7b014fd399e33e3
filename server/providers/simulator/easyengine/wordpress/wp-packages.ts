import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { documentRoot } from '../layout.ts'
import { put, readIfThere } from '../machine.ts'
import { pluginHeader, themeHeader } from './core-files.ts'
import { printItems, WpError, wpText, type WpContext } from './wp-context.ts'

export type Kind = 'plugin' | 'theme'

/** A plugin or theme in the files of a site. */
export interface Package {
  readonly name: string
  readonly status: string
  readonly update: 'available' | 'none'
  readonly version: string
  readonly title: string
  readonly file: string
}

/** Newest versions of what WordPress.org has on this simulated machine; others can't be installed. */
export const repository: Readonly<
  Record<Kind, Readonly<Record<string, { readonly title: string; readonly version: string }>>>
> = {
  plugin: {
    akismet: { title: 'Akismet', version: '5.5' },
    hello: { title: 'Hello Dolly', version: '1.7.2' },
    'wp-redis': { title: 'WP Redis', version: '1.4.4' },
    'nginx-helper': { title: 'Nginx Helper', version: '2.3.5' },
    'classic-editor': { title: 'Classic Editor', version: '1.6.7' },
    offered: { title: 'offered', version: '2.0' },
    woocommerce: { title: 'WooCommerce', version: '10.1.2' },
  },
  theme: {
    twentytwentyfive: { title: 'Twenty Twenty-Five', version: '1.3' },
    twentytwentyfour: { title: 'Twenty Twenty-Four', version: '1.3' },
    astra: { title: 'Astra', version: '4.11.10' },
  },
}

type SiteContext = Pick<WpContext, 'machine' | 'site' | 'state'>

export const folderOf = ({ machine, site }: Pick<WpContext, 'machine' | 'site'>, kind: Kind): string =>
  join(documentRoot(machine, site), 'wp-content', `${kind}s`)

export const mainFile = (kind: Kind, name: string): string => (kind === 'theme' ? 'style.css' : `${name}.php`)

/** Plugins or themes that the site has in its files. */
export function installed(context: SiteContext, kind: Kind): Package[] {
  const folder = folderOf(context, kind)
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = entry.name.replace(/\.php$/, '')
    const file = entry.isDirectory() ? join(folder, name, mainFile(kind, name)) : join(folder, entry.name)
    const header = entry.isDirectory() || kind === 'plugin' ? readIfThere(file) : null
    const version = /^Version: (.*)$/m.exec(header ?? '')?.[1]
    if (header === null || version === undefined) return []
    const newest = repository[kind][name]?.version
    return [
      {
        name,
        status: isActive(context, kind, name) ? 'active' : 'inactive',
        update: newest === undefined || newest === version ? ('none' as const) : ('available' as const),
        version,
        title: /^(?:Plugin|Theme) Name: (.*)$/m.exec(header)?.[1] ?? name,
        file: entry.isDirectory() ? `${name}/${mainFile(kind, name)}` : entry.name,
      },
    ]
  })
}

const isActive = ({ state }: SiteContext, kind: Kind, name: string): boolean =>
  kind === 'theme' ? state.theme === name : state.activePlugins.includes(name)

/** Those that the words name, or all; unknown ones are warned about, and fail the command in the end. */
function chosen(
  context: WpContext,
  kind: Kind,
): { readonly found: readonly Package[]; readonly missing: readonly string[] } {
  const all = installed(context, kind)
  if (context.options['all'] === true) {
    const excluded = wpText(context, 'exclude')?.split(',') ?? []
    return { found: all.filter(({ name }) => !excluded.includes(name)), missing: [] }
  }
  if (context.words.length === 0) throw new WpError(`Please specify one or more ${kind}s, or use --all.`)
  const missing = context.words.filter((word) => !all.some(({ name }) => name === word))
  for (const name of missing) context.warning(`The '${name}' ${kind} could not be found.`)
  return { found: all.filter(({ name }) => context.words.includes(name)), missing }
}

function summarize(context: WpContext, verb: string, kind: Kind, done: number, all: number): void {
  const text = `${verb} ${done} of ${all} ${kind}s.`
  if (done < all) throw new WpError(done === 0 ? `No ${kind}s ${verb.toLowerCase()}.` : `Only ${text.toLowerCase()}`)
  context.success(text)
}

function list(kind: Kind) {
  return (context: WpContext) => {
    const status = wpText(context, 'status')
    const names = context.words
    const items = installed(context, kind).filter(
      (one) => (status === null || one.status === status) && (names.length === 0 || names.includes(one.name)),
    )
    const auto = { update_version: '', auto_update: 'off' }
    const shown = items.map((one) => ({
      ...auto,
      ...one,
      update_version: one.update === 'available' ? repository[kind][one.name]?.version : '',
    }))
    printItems(context, shown, ['name', 'status', 'update', 'version', 'update_version', 'auto_update'])
  }
}

function write(context: WpContext, kind: Kind, name: string, version: string): void {
  const single = join(folderOf(context, kind), `${name}.php`)
  const file =
    kind === 'plugin' && existsSync(single) ? single : join(folderOf(context, kind), name, mainFile(kind, name))
  const title = repository[kind][name]?.title ?? name
  put(file, kind === 'theme' ? themeHeader(title, version) : pluginHeader(title, version))
}

function install(kind: Kind) {
  return (context: WpContext) => {
    const { machine, words, options } = context
    if (machine.trap('disk_full') !== null) throw new WpError('Could not create directory. No space left on device')
    let done = 0
    for (const name of words) {
      const known = repository[kind][name]
      const isThere = installed(context, kind).some((one) => one.name === name)
      if (!known) {
        context.warning(`Couldn't find '${name}' in the WordPress.org ${kind} directory.`)
        continue
      }
      if (isThere && options['force'] !== true)
        context.warning(`${name}: ${kind === 'theme' ? 'Theme' : 'Plugin'} already installed.`)
      else {
        const version = wpText(context, 'version') ?? known.version
        machine.out(`Installing ${known.title} (${version})\n`)
        write(context, kind, name, version)
      }
      if (options['activate'] === true || options['activate-network'] === true) activateOne(context, kind, name)
      done += 1
    }
    summarize(context, 'Installed', kind, done, words.length)
  }
}

function activateOne({ state }: WpContext, kind: Kind, name: string): void {
  if (kind === 'theme') state.theme = name
  else if (!state.activePlugins.includes(name)) state.activePlugins.push(name)
}

function update(kind: Kind) {
  return (context: WpContext) => {
    const { found, missing } = chosen(context, kind)
    const fixed = wpText(context, 'version')
    const changes = found.flatMap((one) => {
      const version = fixed ?? repository[kind][one.name]?.version ?? one.version
      return version === one.version
        ? []
        : [{ name: one.name, old_version: one.version, new_version: version, status: 'Updated' }]
    })
    if (context.options['dry-run'] === true) {
      if (changes.length === 0) return context.machine.out(`No ${kind} updates available.\n`)
      const planned = changes.map((one) => ({
        ...one,
        status: 'inactive',
        version: one.old_version,
        update_version: one.new_version,
      }))
      return printItems(context, planned, ['name', 'status', 'version', 'update_version'])
    }
    for (const { name, new_version: version } of changes) write(context, kind, name, version)
    if (changes.length > 0) printItems(context, changes, ['name', 'old_version', 'new_version', 'status'])
    if (wpText(context, 'format') === 'json') {
      if (missing.length > 0) throw new WpError('')
      return
    }
    if (changes.length === 0 && missing.length === 0)
      return context.success(
        found.length > 1
          ? `${kind === 'theme' ? 'Themes' : 'Plugins'} already updated.`
          : `${kind === 'theme' ? 'Theme' : 'Plugin'} already updated.`,
      )
    summarize(context, 'Updated', kind, changes.length, changes.length + missing.length)
  }
}

function remove(kind: Kind) {
  return (context: WpContext) => {
    const { found, missing } = chosen(context, kind)
    const active = found.filter(({ status }) => status === 'active')
    if (kind === 'theme' && active.length > 0 && context.options['force'] !== true)
      throw new WpError(`Can't delete the currently active theme: ${active[0]?.name}`)
    for (const { name, file } of found) {
      rmSync(join(folderOf(context, kind), file.split('/')[0] ?? ''), { recursive: true, force: true })
      context.state.activePlugins = context.state.activePlugins.filter((one) => one !== name)
      context.machine.out(`Deleted '${name}' ${kind}.\n`)
    }
    summarize(context, 'Deleted', kind, found.length, found.length + missing.length)
  }
}

function verifyPlugins(context: WpContext): void {
  const { found, missing } = chosen(context, 'plugin')
  const problems = found.flatMap(({ name, title, version, file }) => {
    if (!repository.plugin[name]) return []
    const text = readIfThere(join(folderOf(context, 'plugin'), file))
    return text === pluginHeader(title, version)
      ? []
      : [{ plugin_name: name, file, message: 'Checksum does not match' }]
  })
  if (problems.length > 0) printItems(context, problems, ['plugin_name', 'file', 'message'])
  summarize(context, 'Verified', 'plugin', found.length - problems.length, found.length + missing.length)
}

export const packageCommands = {
  'plugin list': list('plugin'),
  'plugin install': install('plugin'),
  'plugin activate': (context: WpContext) => {
    const { found, missing } = chosen(context, 'plugin')
    for (const { name } of found) {
      activateOne(context, 'plugin', name)
      context.machine.out(`Plugin '${name}' activated.\n`)
    }
    summarize(context, 'Activated', 'plugin', found.length, found.length + missing.length)
  },
  'plugin deactivate': (context: WpContext) => {
    const { found, missing } = chosen(context, 'plugin')
    const names = found.map(({ name }) => name)
    context.state.activePlugins = context.state.activePlugins.filter((one) => !names.includes(one))
    for (const name of names) context.machine.out(`Plugin '${name}' deactivated.\n`)
    summarize(context, 'Deactivated', 'plugin', found.length, found.length + missing.length)
  },
  'plugin update': update('plugin'),
  'plugin delete': remove('plugin'),
  'plugin verify-checksums': verifyPlugins,
  'theme list': list('theme'),
  'theme install': install('theme'),
  'theme activate': (context: WpContext) => {
    const { found } = chosen(context, 'theme')
    const [theme] = found
    if (!theme) throw new WpError(`The '${context.words[0]}' theme could not be found.`)
    context.state.theme = theme.name
    context.success(`Switched to '${theme.title}' theme.`)
  },
  'theme update': update('theme'),
  'theme delete': remove('theme'),
}
