import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** A text in single quotes, in which a POSIX shell interprets nothing. For scripts of our own; arguments use `quote`. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * Quotes an argument for a POSIX shell. Throws `invalid` for line breaks and null bytes, which programs on the way would interpret
 * or cut, and for text that has no encoding in UTF-8.
 */
export function quote(argument: string): string {
  if (/[\0\r\n]/.test(argument) || !argument.isWellFormed())
    throw new AppError('invalid', msg`Line breaks and null bytes can't be part of a command.`, {
      nextAction: msg`Remove them, then try again.`,
    })
  return singleQuoted(argument)
}

/** An option with a value in one argument, `--name=value`: as two, a value that starts with "-" would be an option of its own. */
export function option(name: string, value: string): string {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new TypeError(`Not the name of an option: ${name}`)
  return `--${name}=${value}`
}

/** An argument that is no option. Throws `invalid` if a program would read it as one. */
export function positional(value: string): string {
  if (value === '' || value.startsWith('-'))
    throw new AppError('invalid', msg`${value || '""'} can't be an argument of a command.`, {
      nextAction: msg`Enter a value that is not empty and doesn't start with "-".`,
    })
  return value
}

/** Variables of a command's environment. */
export type CommandEnvironment = Readonly<Record<string, string>>

/** A program with its arguments as words of a shell. The program's name is one of ours, never input. */
export function commandLine(argv: readonly string[], env: CommandEnvironment = {}): string {
  const [program = ''] = argv
  if (!/^[A-Za-z0-9_/][A-Za-z0-9_/.+-]*$/.test(program)) throw new TypeError(`Not the name of a program: ${program}`)
  const variables = Object.entries(env).map(([name, value]) => {
    if (!/^[A-Z_][A-Z0-9_]*$/.test(name)) throw new TypeError(`Not the name of a variable: ${name}`)
    return `${name}=${value}`
  })
  return [...(variables.length > 0 ? ['env', ...variables] : []), ...argv].map(quote).join(' ')
}
