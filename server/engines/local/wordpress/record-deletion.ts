import { isObject } from '#shared/parse-json.ts'

/** A deletion of a plugin or theme that is neither finished nor taken back: visitors are kept out. */
export interface Deletion {
  readonly operation: string
  /** The state before is complete beside the current one. */
  readonly saved?: true
  /** It was deleted. */
  readonly done?: true
}

/** Keeps what is valid of a record. */
export function parseDeletion(value: unknown): { deletion?: Deletion } {
  if (!isObject(value)) return {}
  const { operation, saved, done } = value
  if (typeof operation !== 'string' || operation.length > 140) return {}
  return {
    deletion: { operation, ...(saved === true ? { saved } : {}), ...(done === true ? { done } : {}) },
  }
}
