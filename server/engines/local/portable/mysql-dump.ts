import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createRowCounter } from '#server/platform/mysql/count-rows.ts'
import { withoutDefiners } from '#server/platform/mysql/without-definers.ts'
import type { StepContext } from '../../engine.ts'
import type { SiteManifest } from '../../site-manifest.ts'
import type { LocalContext } from '../local-context.ts'
import { dumpLimit } from '../mysql/dump-limit.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { dumpPath } from './dump-path.ts'

/** A folder that only we can enter. */
export async function privateFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  return folder
}

/**
 * Puts a dump of the site's MySQL database into its files, without the account that views and triggers belong to: no other
 * server has it. Returns the rows of its tables.
 * @param folder where it is written first; removed with the export
 */
export async function writeMysqlDump(
  context: LocalContext,
  record: SiteRecord,
  folder: string,
  { signal, log, progress }: StepContext,
): Promise<SiteManifest['tables']> {
  const { mysql, putOwn, storage } = context
  const path = join(await privateFolder(folder), 'database.sql')
  const { through, rows } = createRowCounter()
  try {
    const maxBytes = await dumpLimit(context, record)
    await mysql.dump(record.id, { path, signal, maxBytes, through: [withoutDefiners(), through] })
    progress(0.3)
    await putOwn(record, dumpPath, path, signal)
    storage.invalidate(record.id)
  } finally {
    await rm(path, { force: true })
  }
  progress(0.5)
  log(`Wrote ${rows.size} tables with ${[...rows.values()].reduce((sum, count) => sum + count, 0)} rows`)
  const routines = await mysql.routines(record.id)
  if (routines.length > 0) log(`Procedures and functions are not in the dump: ${routines.join(', ')}`)
  return Object.fromEntries(rows)
}
