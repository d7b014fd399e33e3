import { isOneOf } from '#shared/is-one-of.ts'
import { isObject } from '#shared/parse-json.ts'

const kinds = ['push', 'roll_back', 'restore', 'bring_back'] as const

/**
 * A push or a restore of a backup, or what brings the state before back, that is neither finished nor taken back: visitors are kept out.
 */
export interface GoingPush {
  readonly operation: string
  readonly kind: (typeof kinds)[number]
  /** It is done: all that is left is to keep the state before. */
  readonly done?: true
  /** The MySQL database may have a part of what is brought in. */
  readonly merging?: true
}

/** The last push or restore, whose state before is kept. */
export interface KeptPush {
  readonly kind: 'push' | 'restore'
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
  /** The operation that was finished last: one of these, or a change of the version of WordPress. */
  settled?: string
  /** The staging site's source when it was made, and the primary domains of both. */
  stagingOf?: { readonly id: string; readonly domain: string; readonly own: string }
}

/** Keeps what is valid. */
export function parsePush(given: Readonly<Record<string, unknown>>): RecordPush {
  const { push, pushed, settled, stagingOf } = given
  return {
    ...(isObject(push) && isText(push['operation']) && isOneOf(kinds, push['kind'])
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
            kind: pushed['kind'] === 'restore' ? ('restore' as const) : ('push' as const),
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

/** Whether it puts new content in place; the others bring the state before back. */
export const isForward = ({ kind }: GoingPush): boolean => kind === 'push' || kind === 'restore'

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 300
