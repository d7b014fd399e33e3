import type { SiteRow } from '../database.ts'
import type { Machine } from '../machine.ts'
import type { WordPressState } from './state.ts'

/** What a simulated script works on. Changes of the state are stored when it ends. */
export interface ScriptContext {
  readonly machine: Machine
  readonly site: SiteRow
  readonly state: WordPressState
  /** Folder of WordPress, on this machine. */
  readonly root: string
}

export type ScriptHandler = (context: ScriptContext, input: Readonly<Record<string, unknown>>) => unknown

/** Ends a script with a result. */
export class ScriptEnd extends Error {
  readonly result: Readonly<Record<string, unknown>>
  constructor(result: Readonly<Record<string, unknown>>) {
    super('The script ended.')
    this.result = result
  }
}

/** Ends a script without one, as its limit of time does. */
export class ScriptKilled extends Error {
  readonly code: number
  constructor(code: number) {
    super('The script was killed.')
    this.code = code
  }
}

export const refuse = (refused: string, why = ''): ScriptEnd => new ScriptEnd({ refused, why })
