import { isObject } from '#shared/parse-json.ts'

/** A push, or its rollback, that is neither finished nor taken back: visitors are kept out. */
export interface GoingPush {
  readonly operation: string
  readonly kind: 'push' | 'roll_back'
  /** It is done: all that is left is to keep the state before. */
  readonly done?: true
  /** The MySQL database may have a part of what is brought in. */
  readonly merging?: true
}

/** The last push, whose state before is kept. */
export interface KeptPush {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The primary domain then: its database has that address. */
  readonly domain: string
  /** Where its database was. */
  readonly database?: 'mysql'
}

/** What a record says about pushes. */
export interface RecordPush {
  push?: GoingPush
  pushed?: KeptPush
  /** The operation that was finished last. */
  settled?: string
  /** The staging site's source when it was made, and the primary domains of both. */
  stagingOf?: { readonly id: string; readonly domain: string; readonly own: string }
}

/** Keeps what is valid. */
export function parsePush(given: Readonly<Record<string, unknown>>): RecordPush {
  const { push, pushed, settled, stagingOf } = given
  return {
    ...(isObject(push) && isText(push['operation']) && (push['kind'] === 'push' || push['kind'] === 'roll_back')
      ? {
          push: {
            operation: push['operation'],
            kind: push['kind'],
            ...(push['done'] === true ? { done: true as const } : {}),
            ...(push['merging'] === true ? { merging: true as const } : {}),
          },
        }
      : {}),
    ...(isObject(pushed) && typeof pushed['at'] === 'number' && isText(pushed['domain'])
      ? {
          pushed: {
            at: pushed['at'],
            domain: pushed['domain'],
            ...(pushed['database'] === 'mysql' ? { database: 'mysql' as const } : {}),
          },
        }
      : {}),
    ...(isText(settled) ? { settled } : {}),
    ...(isObject(stagingOf) && isText(stagingOf['id']) && isText(stagingOf['domain']) && isText(stagingOf['own'])
      ? { stagingOf: { id: stagingOf['id'], domain: stagingOf['domain'], own: stagingOf['own'] } }
      : {}),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 300
