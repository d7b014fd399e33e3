import { existsSync } from 'node:fs'
import type { LocalContext } from '../local-context.ts'
import { savedDumpPath } from '../mysql/kept-dumps.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { KeptPush } from './record-push.ts'

/**
 * Whether the state before the last push, or restore, can come back. That of another kind of database cannot: a move removed it.
 */
export function isPushKept(
  { store }: Pick<LocalContext, 'store'>,
  record: SiteRecord,
  kind: KeptPush['kind'] = 'push',
): boolean {
  const { pushed, database } = record
  if (pushed?.kind !== kind || pushed.database !== database || !existsSync(store.paths(record.id).rollback))
    return false
  return database !== 'mysql' || existsSync(savedDumpPath({ store }, record, 'push-kept'))
}
