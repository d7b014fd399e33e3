import { existsSync } from 'node:fs'
import type { LocalContext } from '../local-context.ts'
import { savedDumpPath } from '../mysql/kept-dumps.ts'
import type { SiteRecord } from '../sites/site-record.ts'

/** Whether the state before the last push can come back. That of another kind of database cannot: a move removed it. */
export function isPushKept({ store }: Pick<LocalContext, 'store'>, record: SiteRecord): boolean {
  const { pushed, database } = record
  if (pushed === undefined || pushed.database !== database || !existsSync(store.paths(record.id).rollback)) return false
  return database !== 'mysql' || existsSync(savedDumpPath({ store }, record, 'push-kept'))
}
