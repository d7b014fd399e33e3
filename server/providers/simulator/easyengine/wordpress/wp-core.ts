import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { documentRoot } from '../layout.ts'
import { put, readIfThere } from '../machine.ts'
import { knownFiles, localeIn, versionIn, wordpressVersions, writeCore } from './core-files.ts'
import { wpConfigPath } from './state.ts'
import { printItems, WpError, wpText, type WpContext } from './wp-context.ts'

const newer = (a: string, b: string): boolean => a.localeCompare(b, 'en', { numeric: true }) > 0

/** The version that the files say. */
export function coreVersion({ machine, site }: Pick<WpContext, 'machine' | 'site'>): string {
  return versionIn(documentRoot(machine, site))
}

function update(context: WpContext): void {
  const { machine, site, options } = context
  const wanted = wpText(context, 'version') ?? wordpressVersions.newest
  const current = coreVersion(context)
  if (options['force'] !== true && !newer(wanted, current)) return context.success('WordPress is up to date.')
  if (machine.trap('disk_full') !== null) throw new WpError('Could not create directory. No space left on device')
  machine.out(`Updating to version ${wanted}...\n`)
  const root = documentRoot(machine, site)
  writeCore(machine, site, { version: wanted, locale: localeIn(root), withContent: false })
  context.success('WordPress updated successfully.')
}

/** Files of core that are not as they were delivered: what a test writes into them. */
function verify(context: WpContext): void {
  const { machine, site } = context
  const root = documentRoot(machine, site)
  const problems = Object.entries(knownFiles(machine, coreVersion(context), localeIn(root)) ?? {}).flatMap(
    ([file, content]) => {
      const found = readIfThere(`${root}/${file}`)
      if (found === null) return [`File doesn't exist: ${file}`]
      return found === content ? [] : [`File doesn't verify against checksum: ${file}`]
    },
  )
  for (const problem of problems) context.warning(problem)
  if (problems.length > 0) throw new WpError("WordPress installation doesn't verify against checksums.")
  context.success('WordPress installation verifies against checksums.')
}

export const coreCommands = {
  'core version': (context: WpContext) => context.machine.out(`${coreVersion(context)}\n`),
  'core is-installed': () => undefined,
  'core check-update': (context: WpContext) => {
    const version = wordpressVersions.newest
    const items = newer(version, coreVersion(context))
      ? [
          {
            version,
            update_type: 'minor',
            package_url: `https://downloads.wordpress.org/release/wordpress-${version}.zip`,
          },
        ]
      : []
    if (items.length === 0) context.success('WordPress is at the latest version.')
    else printItems(context, items, ['version', 'update_type', 'package_url'])
  },
  'core update': update,
  'core update-db': (context: WpContext) => context.success('WordPress database already at latest db version 60421.'),
  'core verify-checksums': verify,
}

const constant = (name: string): RegExp => new RegExp(`^define\\( '${name.replaceAll(/\W/g, '')}', (.*) \\);$`, 'm')

function configOf({ machine, site }: WpContext) {
  const path = wpConfigPath(machine, site)
  return { path, text: readFileSync(path, 'utf8') }
}

function configValue(context: WpContext): string | null {
  const { text } = configOf(context)
  const name = context.words[0] ?? ''
  if (name === 'table_prefix') return /^\$table_prefix = '(.*)';$/m.exec(text)?.[1] ?? null
  const [, value] = constant(name).exec(text) ?? []
  return value === undefined ? null : value.replaceAll(/^'|'$/g, '').replaceAll("\\'", "'")
}

const notDefined = ({ words }: WpContext) =>
  new WpError(`The constant or variable '${words[0]}' is not defined in the 'wp-config.php' file.`)

export const configCommands = {
  'config get': (context: WpContext) => {
    const value = configValue(context)
    if (value === null) throw notDefined(context)
    context.machine.out(`${wpText(context, 'format') === 'json' ? JSON.stringify(value) : value}\n`)
  },
  'config has': (context: WpContext) => {
    if (configValue(context) === null) throw new WpError('')
  },
  'config set': (context: WpContext) => {
    const { path, text } = configOf(context)
    const [name = '', value = ''] = context.words
    const written = context.options['raw'] === true ? value : `'${value.replaceAll("'", "\\'")}'`
    const line = `define( '${name}', ${written} );`
    const isKnown = constant(name).test(text)
    writeFileSync(
      path,
      isKnown ? text.replace(constant(name), () => line) : text.replace(/^<\?php\n/, () => `<?php\n${line}\n`),
    )
    context.success(
      `${isKnown ? 'Updated' : 'Added'} the constant '${name}' in the 'wp-config.php' file with the ${context.options['raw'] === true ? 'raw ' : ''}value '${value}'.`,
    )
  },
  'config delete': (context: WpContext) => {
    const { path, text } = configOf(context)
    if (configValue(context) === null) throw notDefined(context)
    writeFileSync(path, text.replace(new RegExp(`${constant(context.words[0] ?? '').source}\n?`, 'm'), ''))
    context.success(`Deleted the constant '${context.words[0]}' from the 'wp-config.php' file.`)
  },
}

export const optionCommands = {
  'option get': ({ state, words: [name = ''], machine, options }: WpContext) => {
    const value = state.options[name]
    if (value === undefined) throw new WpError(`Could not get '${name}' option. Does it exist?`)
    machine.out(`${options['format'] === 'json' ? JSON.stringify(value) : value}\n`)
  },
  'option list': (context: WpContext) => {
    const pattern = wpText(context, 'search') ?? '*'
    const form = new RegExp(`^${pattern.replaceAll(/[^\w*]/g, '\\$&').replaceAll('*', '.*')}$`)
    const found = Object.entries(context.state.options).filter(([name]) => form.test(name))
    printItems(
      context,
      found.map(([name, value]) => ({ option_name: name, option_value: value })),
      ['option_name', 'option_value'],
    )
  },
  'option update': ({ state, words: [name = '', value], machine, site, success }: WpContext) => {
    // A value that is not among the words comes by standard input.
    const given = value ?? machine.readInput().replace(/\n$/, '')
    // WordPress keeps its language unless it has the translation of another one.
    const isKnown =
      name !== 'WPLANG' || existsSync(join(documentRoot(machine, site), `wp-content/languages/${basename(given)}.mo`))
    const written = isKnown ? given : (state.options[name] ?? '')
    if (state.options[name] === written) return success(`Value passed for '${name}' option is unchanged.`)
    state.options[name] = written
    success(`Updated '${name}' option.`)
  },
  'option delete': ({ state, words, success, warning }: WpContext) => {
    for (const name of words) {
      if (state.options[name] === undefined) warning(`Could not delete '${name}' option. Does it exist?`)
      else success(`Deleted '${name}' option.`)
      delete state.options[name]
    }
  },
}

export const maintenanceCommands = {
  'maintenance-mode status': (context: WpContext) =>
    context.machine.out(`Maintenance mode is ${isInMaintenance(context) ? '' : 'not '}active.\n`),
  'maintenance-mode activate': (context: WpContext) => {
    if (isInMaintenance(context) && context.options['force'] !== true)
      throw new WpError('Maintenance mode already activated.')
    put(maintenanceFile(context), '<?php $upgrading = time();\n')
    context.success('Activated Maintenance mode.')
  },
}

export const maintenanceFile = ({ machine, site }: WpContext): string => `${documentRoot(machine, site)}/.maintenance`
export const isInMaintenance = (context: WpContext): boolean => readIfThere(maintenanceFile(context)) !== null
