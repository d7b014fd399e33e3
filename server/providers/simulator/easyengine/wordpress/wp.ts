import type { SiteRow } from '../database.ts'
import { documentRoot } from '../layout.ts'
import { note, readIfThere, type Machine } from '../machine.ts'
import { hasDatabase, readDatabase, wpConfigPath, writeDatabase } from './state.ts'
import { wpCommands, wpGlobals, type WpCommand, type WpCommandName } from './wp-commands.ts'
import { WpError, type WpContext, type WpHandler } from './wp-context.ts'
import { configCommands, coreCommands, optionCommands } from './wp-core.ts'
import { packageCommands } from './wp-packages.ts'
import { userCommands } from './wp-users.ts'
import { upkeepCommands } from './wp-upkeep.ts'

const handlers: Readonly<Record<WpCommandName, WpHandler>> = {
  ...coreCommands,
  ...configCommands,
  ...optionCommands,
  ...packageCommands,
  ...userCommands,
  ...upkeepCommands,
}

/** WP-CLI in the PHP container of a site. Returns its exit code. */
export function wp(
  machine: Machine,
  site: SiteRow,
  { folder, argv }: { readonly folder: string; readonly argv: readonly string[] },
): number {
  const call = parse(argv)
  if (typeof call === 'string') {
    note(machine.root, 'violations.log', `wp: ${call}`)
    machine.err(`Error: ${call}\n`)
    return 1
  }
  try {
    checkSite(machine, site, folder)
    const failing = machine.trap('wp_fails')
    if (failing !== null && argv.join(' ').startsWith(failing))
      throw new WpError('There has been a critical error on this website.')
    const name = site['db_name'] ?? ''
    const state = readDatabase(machine, name)
    if (state === null && !call.name.startsWith('config') && call.name !== 'core version')
      throw new WpError(
        'The site you have requested is not installed.\nRun `wp core install` to create database tables.',
      )
    const before = JSON.stringify(state)
    const context: WpContext = {
      ...{ machine, site, words: call.words, options: call.options },
      // Without a database only what reads files comes this far.
      state: state as WpContext['state'],
      success: (text) => machine.out(`Success: ${text}\n`),
      warning: (text) => machine.err(`Warning: ${text}\n`),
    }
    handlers[call.name](context)
    if (state !== null && JSON.stringify(state) !== before) writeDatabase(machine, name, state)
    return 0
  } catch (error) {
    if (!(error instanceof WpError)) throw error
    if (error.message !== '') machine.err(`Error: ${error.message}\n`)
    return 1
  }
}

function checkSite(machine: Machine, site: SiteRow, folder: string): void {
  if (
    folder !== site.site_container_fs_path ||
    readIfThere(`${documentRoot(machine, site)}/wp-includes/version.php`) === null
  )
    throw new WpError(
      'This does not seem to be a WordPress installation.\nPass --path=`path/to/wordpress` or run `wp core download`.',
    )
  if (readIfThere(wpConfigPath(machine, site)) === null)
    throw new WpError("'wp-config.php' not found.\nEither create one manually or use `wp config create`.")
  if (!hasDatabase(machine, site['db_name'] ?? '')) throw new WpError('Error establishing a database connection.')
}

interface WpCall {
  readonly name: WpCommandName
  readonly words: readonly string[]
  readonly options: Readonly<Record<string, string | boolean>>
}

/** Reads a call; a text says why it is not one that is simulated. */
function parse(argv: readonly string[]): WpCall | string {
  const words: string[] = []
  const given: [string, string | true][] = []
  for (const word of argv) {
    const [, key, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? []
    if (key === undefined) words.push(word)
    else given.push([key, value ?? true])
  }
  const name = (Object.keys(wpCommands) as WpCommandName[])
    .filter((one) => `${words.join(' ')} `.startsWith(`${one} `))
    .toSorted((a, b) => b.length - a.length)[0]
  if (name === undefined)
    return `'${words.slice(0, 2).join(' ')}' is not a registered wp command. See 'wp help' for available commands.`
  const command: WpCommand = wpCommands[name]
  const rest = words.slice(name.split(' ').length)
  const [fewest, most] = command.words
  if (rest.length < fewest) return `usage: wp ${name}: too few arguments`
  if (rest.length > most) return `Too many positional arguments for ${name}`
  for (const [key, value] of given) {
    const accepts = (one: WpCommand) => (value === true ? one.flags?.includes(key) : one.values?.includes(key)) === true
    if (!accepts(command) && !accepts(wpGlobals))
      return `Parameter errors:\n unknown --${key} parameter${value === true ? ' without' : ' with'} a value for ${name}`
  }
  return { name, words: rest, options: Object.fromEntries(given) }
}
