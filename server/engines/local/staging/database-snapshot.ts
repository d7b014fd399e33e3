import { randomBytes } from 'node:crypto'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { LocalContext } from '../local-context.ts'
import { withoutAccounts } from '../../database-problems.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript } from '../wordpress/run-script.ts'

/** Folders below the served one to the database, and its name. */
export const databaseFolder = ['wp-content', 'database'] as const
/** The file of the database of a site that is on SQLite. */
export const databaseName = '.ht.sqlite'

const prefix = '.ht.easydash-snapshot-'

/** How a snapshot is written: parts of some seconds, between which the site answers visitors. */
export interface SnapshotStep {
  readonly signal: AbortSignal
  readonly seconds: number
}

/** Writes what can be merged of a site's MySQL database into a file in the folder of its database (`php/snapshot.php`). */
export async function writeSnapshot(
  context: Pick<LocalContext, 'store' | 'awake' | 'storage'>,
  record: SiteRecord,
  file: string,
  { signal, seconds }: SnapshotStep,
): Promise<void> {
  let after: unknown = null
  try {
    do {
      signal.throwIfAborted()
      const { problem, ...result } = await runScript(context, record, {
        script: 'snapshot',
        input: { file, after, seconds },
        signal,
      })
      if (problem !== undefined) throw unreadableDatabase(problem)
      after = result['after'] ?? null
    } while (after !== null)
  } finally {
    context.storage.invalidate(record.id)
  }
}

/** Calls `work` with the name of a file that has the site's database as it is now; nobody writes to it meanwhile. */
export async function withDatabaseFile<T>(
  context: LocalContext,
  record: SiteRecord,
  step: SnapshotStep,
  work: (name: string) => Promise<T>,
): Promise<T> {
  const { store, trees, awake, storage } = context
  const { www } = store.paths(record.id)
  const isOnMysql = record.database === 'mysql'
  const name = isOnMysql ? `${prefix}${randomBytes(4).toString('hex')}.sqlite` : databaseName
  // What was cut off lies around for ever otherwise.
  const remove = () => trees.run('unplace', { root: www, below: databaseFolder, prefix })
  if (isOnMysql) await remove()
  try {
    if (isOnMysql) await writeSnapshot(context, record, name, step)
    const release = await awake.keepAsleep(record.id)
    try {
      return await work(name)
    } finally {
      release()
    }
  } finally {
    if (isOnMysql) await remove()
    storage.invalidate(record.id)
  }
}

const unreadableDatabase = (problem: unknown) =>
  new EngineError(
    'unavailable',
    msg`The database of a site could not be read: ${typeof problem === 'string' ? withoutAccounts(problem).slice(0, 300) : ''}`,
    { nextAction: msg`Look at the table that is named; push the files alone if that is enough.` },
  )
