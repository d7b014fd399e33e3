import type { Contract } from './contract.ts'
import type { EasyEngineDatabase, SiteRow } from './database.ts'
import { note, type Machine } from './machine.ts'
import type { Options } from './parse-call.ts'

/** Ends a command of `ee` with exit code 1 and this error. */
export class EeError extends Error {}

/** Ends a command of `ee` with exit code 0: a question was not answered with `y`. */
export class Declined extends Error {}

/** A valid call of `ee` while it runs. */
export interface EeContext {
  readonly contract: Contract
  readonly machine: Machine
  readonly database: EasyEngineDatabase
  readonly args: readonly string[]
  readonly options: Options
  log(text: string): void
  success(text: string): void
  warning(text: string): void
}

/** The value of an option; null if it is absent or a flag. */
export function textOption({ options }: Pick<EeContext, 'options'>, name: string): string | null {
  const value = options[name]
  return typeof value === 'string' ? value : null
}

/** The site that the call names. */
export function namedSite(context: EeContext, { mustBeEnabled }: { readonly mustBeEnabled: boolean }): SiteRow {
  const domain = domainOf(context.args[0])
  const site = context.database.site(domain)
  if (!site) throw new EeError(`Site ${domain} does not exist.`)
  if (mustBeEnabled && site.site_enabled !== '1')
    throw new EeError(`Site ${domain} is not enabled. Use \`ee site enable ${domain}\` to enable it.`)
  return site
}

/** The name of a site as it was typed: without scheme and slash. */
export function domainOf(word: string | undefined): string {
  if (word === undefined) throw new EeError('Could not find the site you wish to run command on.')
  return word
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/+$/, '')
}

/** Asks, unless `--yes` is there. */
export function confirm({ machine, options }: EeContext, question: string): void {
  if (options['yes'] === true) return
  machine.out(`${question} [y/n] `)
  if (machine.readLine()?.trim().toLowerCase() !== 'y') throw new Declined()
}

/** Records that something was changed, for tests that count. */
export const recordEffect = ({ machine }: EeContext, effect: string): void => note(machine.root, 'effects.log', effect)

/** A generated password: `[A-Za-z0-9]`. */
export function randomPassword(length = 18): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
  return Array.from({ length }, () => letters[Math.floor(Math.random() * letters.length)]).join('')
}
