import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { forgetDumpOf, restoreDump, saveDump } from '../mysql/saved-dump.ts'
import { runScript } from '../wordpress/run-script.ts'

type Context = Pick<LocalContext, 'store' | 'storage' | 'tenants' | 'awake' | 'mysql'>

/**
 * Keeps the database and wp-config.php beside the current ones (`php/database.php`), which counts toward the quota of the site; a MySQL
 * database outside of its files.
 * Throws EngineError `unavailable` if there is no room.
 */
export async function saveDatabase(context: Context, record: SiteRecord, signal: AbortSignal): Promise<void> {
  if ((await runDatabase(context, record, 'save', signal)) === null) {
    if (record.database === 'mysql') await saveDump(context, record, 'saved-database', signal)
    return
  }
  throw new EngineError('unavailable', msg`The database could not be saved before the change.`, {
    nextAction: msg`Make room within the quota of the site, then try again.`,
  })
}

/** Puts back what was saved. Throws EngineError `unavailable` if that fails. */
export async function restoreDatabase(context: Context, record: SiteRecord): Promise<void> {
  const problem = await runDatabase(context, record, 'restore')
  if (problem === null) {
    // Its configuration, by which it is reached, came back first.
    if (record.database === 'mysql') await restoreDump(context, record, 'saved-database')
    return
  }
  throw new EngineError('unavailable', msg`The database before the change could not be put back: ${problem}`, {
    nextAction: msg`It is in wp-content/database/.ht.easydash-saved.sqlite. Make room on the disk, then retry the job.`,
  })
}

/** Removes what was saved. */
export async function forgetSavedDatabase(context: Context, record: SiteRecord): Promise<void> {
  await runDatabase(context, record, 'forget')
  if (record.database === 'mysql') await forgetDumpOf(context, record, 'saved-database')
}

/** Null, or what is wrong. */
async function runDatabase(
  context: Context,
  record: SiteRecord,
  what: 'save' | 'restore' | 'forget',
  signal?: AbortSignal,
): Promise<string | null> {
  const input = { do: what, mysql: record.database === 'mysql' }
  const { problem } = await runScript(context, record, { script: 'database', input, signal })
  return typeof problem === 'string' ? problem.slice(0, 300) : null
}
