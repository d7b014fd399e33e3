import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { exists } from '#server/platform/files/exists.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { withoutDefiners } from '#server/platform/mysql/without-definers.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type StepContext } from '../../engine.ts'
import type { LocalContext } from '../local-context.ts'
import { dumpLimit } from '../mysql/dump-limit.ts'
import { runMove } from '../mysql/run-move.ts'
import { databaseOf } from '../mysql/site-statements.ts'
import { databaseHost } from '../outbound/policy.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { keepLoaded } from '../staging/baseline.ts'

/** The dump of the source until it is loaded, where neither site reaches it. */
const dumpOf = ({ store }: LocalContext, { id }: SiteRecord): string => join(store.paths(id).folder, 'copied.sql')

/** Writes the MySQL database of a source that sleeps into a dump beside its copy, in place of an earlier one. */
export async function dumpSource(
  context: LocalContext,
  source: SiteRecord,
  record: SiteRecord,
  { signal, log }: StepContext,
): Promise<void> {
  const { mysql } = context
  const path = dumpOf(context, record)
  await rm(path, { force: true })
  await mysql.dump(source.id, { path, signal, maxBytes: await dumpLimit(context, record) })
  const routines = await mysql.routines(source.id)
  if (routines.length > 0) log(`Procedures and functions are not copied. Create them again: ${routines.join(', ')}`)
}

/**
 * Loads the dump into a new database of the copy, as a user of its own, and puts that into its configuration. Until then no code of the
 * copy runs: it would use the database of the source. Can be repeated; the dump is there until everything is done.
 */
export async function loadCopy(context: LocalContext, record: SiteRecord, { signal, log }: StepContext): Promise<void> {
  const { mysql, storage, awake } = context
  const path = dumpOf(context, record)
  if (!(await exists(path))) return
  const login = await mysql.create(record.id, signal)
  crashPoint('local.clone/database-created')
  const content = pipeline(createReadStream(path), withoutDefiners(), () => undefined)
  await mysql.load(login, { content, signal })
  crashPoint('local.clone/database-loaded')
  const host = databaseHost
  await runMove(context, record, { do: 'configure', login: { ...login, host } }, signal)
  await assertOwnDatabase(context, record, signal)
  // PHP remembers the configuration that was there.
  await awake.sleep(record.id)
  if (record.stagingOf !== undefined) await keepLoaded(context, record, signal)
  await rm(path, { force: true })
  storage.invalidate(record.id)
  log('Copied the database into one of its own, with a user that has rights on it only')
}

/** A configuration can take the database from elsewhere than from the lines that were changed; then it is still that of the source. */
export async function assertOwnDatabase(context: LocalContext, record: SiteRecord, signal: AbortSignal): Promise<void> {
  const { database, user } = await runMove(context, record, { do: 'settled' }, signal)
  const own = databaseOf(record.id)
  if (database === own && user === own) return
  throw new EngineError(
    'invalid',
    msg`The configuration of the site does not take its database from wp-config.php alone.`,
    { nextAction: msg`Define DB_NAME, DB_USER, DB_PASSWORD and DB_HOST once, in wp-config.php, then try again.` },
  )
}
