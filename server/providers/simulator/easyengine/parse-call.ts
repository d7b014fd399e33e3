import type { Contract, ContractCommand, ContractOption } from './contract.ts'

/** Values of options by name without dashes: text, or whether a flag is set. */
export type Options = Readonly<Record<string, string | boolean>>

/** A call of `ee` that the contract allows, or one it does not with what `ee` does then. */
export interface ParsedCall {
  readonly command: ContractCommand | null
  readonly args: readonly string[]
  readonly options: Options
  /** How the call differs from the contract; without any value, because these may be secret. */
  readonly violations: readonly string[]
  readonly warnings: readonly string[]
  /** What ends the call with exit code 1: printed as an error, or as usage on standard output. */
  readonly fatal: { readonly text: string; readonly isUsage: boolean } | null
}

interface Words {
  readonly positional: string[]
  readonly given: Map<string, string | boolean>
  readonly beforeCommand: Set<string>
}

/** Splits words as `ee` does: options only as `--key=value`, `--key` and `--no-key`, wherever they are. */
function splitWords(argv: readonly string[]): Words {
  const words: Words = { positional: [], given: new Map(), beforeCommand: new Set() }
  for (const word of argv) {
    const [, no, key, value] = /^--(no-)?([^=]+?)(?:=(.*))?$/s.exec(word) ?? []
    if (key === undefined) {
      words.positional.push(word)
      continue
    }
    words.given.set(key, value ?? no === undefined)
    if (words.positional.length === 0) words.beforeCommand.add(key)
  }
  return words
}

const bare = (option: ContractOption): string => option.name.slice(2)

/** Global options: `--no-color / --color` is one entry for two spellings. */
const globalOptions = (contract: Contract): ContractOption[] =>
  contract.global_options.map((option) => (option.name.includes(' ') ? { ...option, name: '--color' } : option))

/** Names of commands that come next after some words; aliases too. */
function commandsOf(contract: Contract, positional: readonly string[]) {
  const matches = contract.commands.filter(({ path, alias }) =>
    path.every((word, at) => word === positional[at] || (at === path.length - 1 && alias === positional[at])),
  )
  const length = Math.max(0, ...matches.map(({ path }) => path.length))
  return matches.filter(({ path }) => path.length === length)
}

/** Of several entries for the kinds of sites, the one that the call or the site itself decides. */
function entryFor(entries: readonly ContractCommand[], { positional, given }: Words, kindOf: KindOf) {
  const [first] = entries
  if (first === undefined || entries.length === 1) return first ?? null
  const type = given.get('type')
  // Without --type, `create` makes html, unless --php is there: then the flag is taken as the type, and its version is lost.
  const created = typeof type === 'string' ? type : given.has('php') ? 'php' : 'html'
  const kind = first.path[1] === 'create' ? created : kindOf(positional[first.path.length] ?? '')
  return entries.findLast(({ site_types: types }) => types?.includes(kind ?? 'html')) ?? first
}

/** The kind of a site that exists: html, php or wp. */
export type KindOf = (domain: string) => string | null

/** Reads the words after `ee`, and compares them with the contract. */
export function parseCall(contract: Contract, argv: readonly string[], kindOf: KindOf): ParsedCall {
  const words = splitWords(argv)
  const command = entryFor(commandsOf(contract, words.positional), words, kindOf)
  if (command === null) return unknownCommand(contract, words)
  const args = words.positional.slice(command.path.length)
  const violations: string[] = []
  const warnings: string[] = []
  const errors: string[] = []
  const options: Record<string, string | boolean> = {}
  const globals = globalOptions(contract)
  const known = [...command.options, ...globals, ...(command.path.join(' ') === 'site create' ? [typeOption] : [])]
  for (const [key, value] of words.given) {
    const option = known.find((one) => bare(one) === key)
    if (words.beforeCommand.has(key) && !globals.some((one) => bare(one) === key)) {
      violations.push(`--${key} before the command`)
      errors.push(`unknown --${key} parameter`)
    } else if (option === undefined) {
      violations.push(`unknown option --${key}`)
      errors.push(`unknown --${key} parameter`)
    } else checkValue(option, value, { violations, warnings, errors, options })
  }
  for (const option of command.options) {
    if (option.required === true && options[bare(option)] === undefined) {
      violations.push(`${option.name} is missing`)
      errors.push(`missing --${bare(option)} parameter`)
    } else if (option.default !== undefined) options[bare(option)] ??= option.default
  }
  const usage = positionalProblem(command, args)
  if (usage !== null) violations.push(usage.violation)
  const fatal =
    usage?.fatal ?? (errors.length > 0 ? { text: ['Parameter errors:', ...errors].join('\n '), isUsage: false } : null)
  return { command, args, options, violations, warnings, fatal }
}

const typeOption: ContractOption = { name: '--type', takes_value: 'required', values: ['html', 'php', 'wp'] }

interface Findings {
  readonly violations: string[]
  readonly warnings: string[]
  readonly errors: string[]
  readonly options: Record<string, string | boolean>
}

function checkValue(option: ContractOption, value: string | boolean, found: Findings): void {
  const key = bare(option)
  if (option.takes_value === 'none') {
    if (typeof value === 'string') found.violations.push(`${option.name} takes no value`)
  } else if (typeof value === 'boolean') {
    if (option.takes_value === 'required') {
      found.violations.push(`${option.name} needs a value`)
      // [inf] An optional option without its value is left out with a warning, a required one is fatal.
      if (option.required === true) found.errors.push(`--${key} parameter needs a value`)
      else found.warnings.push(`--${key} parameter needs a value`)
      return
    }
  } else if (option.values && !option.values.includes(value)) {
    found.violations.push(`${option.name} has a value that is not offered`)
    // What is declared as a flag is judged by the command itself.
    found.errors.push(
      option.declared_as_flag === true ? `Unrecognized value in --${key} flag` : `Invalid value specified for '${key}'`,
    )
  }
  found.options[key] = value
}

function positionalProblem({ command, positional }: ContractCommand, args: readonly string[]) {
  const required = positional.filter((one) => one.required)
  const shape = positional.map(({ name, required: isRequired }) => (isRequired ? `<${name}>` : `[<${name}>]`))
  if (args.length < required.length) {
    const text = `usage: ${[command, ...shape].join(' ')}`
    return { violation: `<${required[args.length]?.name}> is missing`, fatal: { text, isUsage: true } }
  }
  if (args.length <= positional.length || positional.some(({ repeat }) => repeat)) return null
  // A value after a space is one, too.
  const text = `Too many positional arguments: ${args.slice(positional.length).join(' ')}`
  return { violation: 'too many positional arguments', fatal: { text, isUsage: false } }
}

function unknownCommand(contract: Contract, { positional, given }: Words): ParsedCall {
  const nothing = { command: null, args: positional, options: Object.fromEntries(given), warnings: [] }
  const [first, second] = positional
  if (first === undefined) return { ...nothing, violations: [], fatal: null }
  const isGroup = contract.commands.some(({ path }) => path[0] === first && path.length > 1)
  if (isGroup && second === undefined) {
    const names = new Set(contract.commands.flatMap(({ path }) => (path[0] === first ? [path[1]] : [])))
    const text = `usage: ee ${first} ${[...names].join('|')}`
    return { ...nothing, violations: [`${first} without a subcommand`], fatal: { text, isUsage: true } }
  }
  const text = isGroup
    ? `'${second}' is not a registered subcommand of '${first}'. See 'ee help ${first}' for available subcommands.`
    : `'${first}' is not a registered ee command. See 'ee help' for available commands.`
  return { ...nothing, violations: ['unknown command'], fatal: { text, isUsage: false } }
}
