import { isObject } from '#shared/parse-json.ts'
import { coreStages } from '../../core-change.ts'

/** A change of the version of WordPress that is neither finished nor taken back. */
export interface CoreChange {
  readonly operation: string
  /** How many of `coreStages` are done. */
  readonly done: number
  /** The new version stays, and only what was replaced is still to be put away. */
  readonly finished?: true
}

/** Keeps what is valid of a record. */
export function parseCoreChange(value: unknown): { core?: CoreChange } {
  if (!isObject(value)) return {}
  const { operation, done, finished } = value
  if (typeof operation !== 'string' || operation.length > 140) return {}
  const count = Number.isSafeInteger(done) ? Math.min(Math.max(Number(done), 0), coreStages.length) : 0
  return { core: { operation, done: count, ...(finished === true ? { finished } : {}) } }
}

/** Whether visitors are kept out: the files are being exchanged, or nobody knows yet whether the new ones work. */
export function isCorePaused({ core }: { readonly core?: CoreChange }): boolean {
  return core !== undefined && core.finished !== true && core.done >= coreStages.indexOf('pause')
}
