import type { BackupParts } from '#shared/rules/backups.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from './engine.ts'
import type { ManifestSummary } from './site-manifest.ts'

/** The error of a path that is to be restored and is not in the backup. */
export const noSuchPath = (path: string): EngineError =>
  new EngineError('invalid', msg`The backup has no file or folder ${path.slice(0, 300)}.`, {
    nextAction: msg`Choose one that is in it, or restore everything.`,
  })

/** Throws EngineError `invalid` for tables that are not in the backup, `unsupported` for those of a site without a database. */
export function assertTables({ tables: known, type, database }: ManifestSummary, { tables }: BackupParts): void {
  if (tables.length > 0 && type !== 'wp') throw database === null ? noDatabase() : wholeDatabase()
  for (const table of tables)
    if (!Object.hasOwn(known, table))
      throw new EngineError('invalid', msg`The backup has no table ${table}.`, {
        nextAction: msg`Choose one that is in it, or restore the database.`,
      })
}

/** The error of a site without a database. */
export const noDatabase = (): EngineError =>
  new EngineError('unsupported', msg`The site has no database.`, { nextAction: msg`Restore its files.` })

const wholeDatabase = () =>
  new EngineError('unsupported', msg`Tables of a PHP site come back with its whole database only.`, {
    nextAction: msg`Restore the database.`,
  })

/** The error of a network whose backup is that of a single site, or the other way around. */
export const differInNetwork = (): EngineError =>
  new EngineError('conflict', msg`The site and its backup differ: one of them is a network of sites.`, {
    nextAction: msg`Download the backup instead.`,
  })

/** Whether a file is one of some paths, or in a folder that is. */
export function isIn(paths: readonly string[], file: string): boolean {
  return paths.some((path) => file === path || file.startsWith(`${path}/`))
}
