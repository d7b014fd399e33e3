import { randomBytes } from 'node:crypto'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type StepContext } from '../../engine.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { databaseFolder, withDatabaseFile } from '../staging/database-snapshot.ts'
import { placeBeside } from '../staging/merge-database.ts'
import { runScript } from '../wordpress/run-script.ts'

/** A site, and what is put in its place. */
export interface Sides {
  readonly live: SiteRecord
  readonly rehearsal: SiteRecord
}

const prefix = '.ht.easydash-restore-'

/** Puts tables of a rehearsal in place of the site's own. Can be repeated: each begins anew. */
export async function restoreTables(
  context: LocalContext,
  { live, rehearsal }: Sides,
  tables: readonly string[],
  step: StepContext,
): Promise<void> {
  const { trees, store, owners, storage } = context
  const { signal } = step
  // A new name each time: a running PHP remembers which were removed.
  const file = `${prefix}${randomBytes(4).toString('hex')}.sqlite`
  const remove = () => trees.run('unplace', { root: store.paths(live.id).www, below: databaseFolder, prefix })
  await remove()
  try {
    const theirs = { root: store.paths(rehearsal.id).www, owner: owners.userOf(rehearsal), below: databaseFolder }
    await withDatabaseFile(context, rehearsal, { signal, seconds: 20 }, (name) =>
      placeBeside(context, live, [{ ...theirs, name, into: file }], signal),
    )
    for (const [number, table] of tables.entries()) {
      await restoreTable(context, live, { file, table }, step)
      step.progress((number + 1) / tables.length)
    }
  } finally {
    await remove()
    storage.invalidate(live.id)
  }
}

async function restoreTable(
  context: LocalContext,
  live: SiteRecord,
  call: { readonly file: string; readonly table: string },
  { signal, log }: StepContext,
): Promise<void> {
  let after: unknown = null
  do {
    // Rows come in one order, so it ends; the deadline of the step ends a site that says otherwise.
    signal.throwIfAborted()
    const result = await runScript(context, live, { script: 'tables', input: { ...call, after }, signal })
    if (typeof result['problem'] === 'string')
      throw new EngineError('unavailable', msg`A table could not be restored: ${result['problem'].slice(0, 300)}`, {
        nextAction: msg`Restore the whole database instead.`,
      })
    after = result['after'] ?? null
    if (after === null) log(`Restored the table ${call.table}: ${Number(result['rows'])} rows`)
  } while (after !== null)
}
