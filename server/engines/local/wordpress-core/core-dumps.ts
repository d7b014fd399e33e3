import { copyFile, rename } from 'node:fs/promises'
import { exists } from '#server/platform/files/exists.ts'
import { savedDumpPath } from '../mysql/kept-dumps.ts'
import { forgetDumpOf, restoreDump, saveDump, type DumpContext } from '../mysql/saved-dump.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { readAbout, runCore } from './core-script.ts'

/*
 * What `php/core.php` does with a SQLite database, for one on MySQL: dumps outside of the site's files. `core-before` is the state
 * before a change that goes on, `core-kept` that of the version which is kept.
 */

/** Keeps the database before its files are exchanged. `takesBack`: by those of the version that is kept. */
export async function saveBefore(
  context: DumpContext,
  record: SiteRecord,
  { takesBack, signal }: { readonly takesBack: boolean; readonly signal: AbortSignal },
): Promise<void> {
  if (record.database === 'mysql') await saveDump(context, record, 'core-before', signal, { takesBack })
  else await runCore(context, record, { act: 'save' }, signal)
}

/** Puts the database of the version that is kept into use, which stays kept: the roll back may be taken back. */
export async function useKept(context: DumpContext, record: SiteRecord): Promise<void> {
  const kept = savedDumpPath(context, record, 'core-kept')
  if (record.database !== 'mysql' || !(await exists(kept))) return
  await copyFile(kept, savedDumpPath(context, record, 'core-use'))
  await restoreDump(context, record, 'core-use')
}

/** Puts back files and database before a change. Can be repeated after a crash at any point. */
export async function putBefore(context: DumpContext, record: SiteRecord): Promise<void> {
  await runCore(context, record, { act: 'undo' })
  if (record.database !== 'mysql') return
  await restoreDump(context, record, 'core-before')
  await forgetDumpOf(context, record, 'core-use')
}

/** Keeps the version before a change with its database, if the new one has another; `clear` also tidies up after an unfinished change. */
export async function putAway(
  context: DumpContext,
  record: SiteRecord,
  act: 'finish' | 'clear',
  signal?: AbortSignal,
): Promise<void> {
  if (record.database === 'mysql') {
    const { differs } = await readAbout(context, record, signal)
    const [before, kept] = [savedDumpPath(context, record, 'core-before'), savedDumpPath(context, record, 'core-kept')]
    if (differs === false) await forgetDumpOf(context, record, 'core-kept')
    // Not there if a run before was cut off after this.
    else if (differs === true && (await exists(before))) await rename(before, kept)
  }
  await runCore(context, record, { act }, signal)
  if (record.database === 'mysql')
    for (const name of ['core-before', 'core-use'] as const) await forgetDumpOf(context, record, name)
}
