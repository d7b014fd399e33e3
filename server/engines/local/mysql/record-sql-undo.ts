import { isOneOf } from '#shared/is-one-of.ts'
import { isObject } from '#shared/parse-json.ts'

const stages = ['check', 'restore'] as const

/** The state of a MySQL database before the last statement of the SQL console, which is kept as a dump. */
export interface SqlUndo {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Of a dump of what the statement left; null: not known. */
  readonly digest: string | null
  /** It is being put back: visitors are kept out. `restore`: from its first statement on. */
  readonly stage?: (typeof stages)[number]
}

/** Keeps what is valid of a record. */
export function parseSqlUndo(value: unknown): { sqlUndo?: SqlUndo } {
  if (!isObject(value)) return {}
  const { id, at, digest, stage } = value
  if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id)) return {}
  return {
    sqlUndo: {
      id,
      at: typeof at === 'number' ? at : 0,
      digest: typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest) ? digest : null,
      ...(isOneOf(stages, stage) ? { stage } : {}),
    },
  }
}

/** Whether visitors are kept out because the state before a statement is being put back. */
export const isUndoingSql = ({ sqlUndo }: { readonly sqlUndo?: SqlUndo }): boolean => sqlUndo?.stage !== undefined
