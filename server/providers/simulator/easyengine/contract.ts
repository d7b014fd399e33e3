import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareVersions } from '#shared/rules/wordpress-versions.ts'

/** An option of a command, as `contract.json` describes it. */
export interface ContractOption {
  readonly name: string
  readonly required?: boolean
  readonly takes_value: 'none' | 'required' | 'optional'
  readonly values?: readonly string[]
  readonly default?: string
  /** EasyEngine's own parser does not check its value; the command does. */
  readonly declared_as_flag?: boolean
}

/** A command, as `contract.json` describes it. */
export interface ContractCommand {
  readonly command: string
  readonly path: readonly string[]
  /** Kinds of sites it is for; most commands have one entry for all of them, `create` has one for each. */
  readonly site_types?: readonly string[]
  readonly alias?: string
  /** The first version that has it. */
  readonly since?: string
  readonly positional: readonly { readonly name: string; readonly required: boolean; readonly repeat: boolean }[]
  readonly options: readonly ContractOption[]
}

/** The commands of `ee`, its global options and settings: facts from EasyEngine's public sources. */
export interface Contract {
  readonly commands: readonly ContractCommand[]
  readonly global_options: readonly ContractOption[]
  readonly config_keys: readonly { readonly key: string; readonly default: string | null }[]
  readonly site_row: { readonly fields: Readonly<Record<string, string>> }
}

/** Reads the contract, as far as a version of EasyEngine has it. */
export function readContract(version: string): Contract {
  const contract = JSON.parse(readFileSync(join(import.meta.dirname, 'contract.json'), 'utf8')) as Contract
  const isThere = ({ since }: ContractCommand) => {
    const [first] = /\d+(?:\.\d+)+/.exec(since ?? '') ?? []
    return first === undefined || compareVersions(first, version) <= 0
  }
  return { ...contract, commands: contract.commands.filter(isThere) }
}
