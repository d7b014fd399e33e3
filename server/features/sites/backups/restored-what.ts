import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { AppError } from '#shared/errors.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import { msg } from '#shared/localized-message.ts'
import { backupWhats, maxBackupParts, tableMark, type BackupWhat } from '#shared/rules/backups.ts'
import { isConfiguration, isOwnFile, splitPath, withoutInner } from '#shared/rules/site-files.ts'
import { shownPath } from '../shown-path.ts'

/**
 * What somebody wants to have restored: everything of a kind, or parts. Throws AppError `invalid` for what no backup can have, and for
 * files that belong to the machine of the site.
 */
export function restoredWhat(
  what: string,
  parts: readonly string[] | null,
  { site_type: type }: Pick<SiteBackup, 'site_type'>,
): BackupWhat {
  if (parts === null && isOneOf(backupWhats, what)) return what
  const field = parts === null ? 'what' : 'parts'
  const wanted = parts ?? [what]
  const wrong = (message: ReturnType<typeof msg>, nextAction: ReturnType<typeof msg>) =>
    new AppError('invalid', message, { field, nextAction })
  if (wanted.length === 0) throw wrong(msg`Nothing is chosen.`, msg`Choose files, folders or tables.`)
  if (wanted.length > maxBackupParts)
    throw wrong(
      msg`At most ${maxBackupParts} files, folders and tables can be restored at once.`,
      msg`Choose the folders that they are in.`,
    )
  const tables = wanted.filter((part) => part.startsWith(tableMark)).map((part) => part.slice(tableMark.length))
  const paths = wanted.filter((part) => !part.startsWith(tableMark)).map((path) => path.replace(/\/$/, ''))
  for (const table of tables)
    if (!/^[\w$-]{1,64}$/.test(table))
      throw wrong(msg`A table cannot be called ${shownPath(table)}.`, msg`Choose a table of the backup.`)
  if (tables.length > 0 && type !== 'wp')
    throw wrong(msg`Only tables of WordPress can be restored alone.`, msg`Choose files, or the whole database.`)
  for (const path of paths) {
    if (path === '' || typeof splitPath(path) === 'string')
      throw wrong(
        msg`${shownPath(path)} is no path below the folder of the site.`,
        msg`Name it like wp-content/uploads, or restore everything.`,
      )
    if (type === 'wp' && (isOwnFile(path) || isConfiguration(path)))
      throw wrong(
        msg`${shownPath(path)} belongs to the machine of the site and is not in its backups.`,
        msg`Choose other files.`,
      )
  }
  return { paths: withoutInner(paths), tables: [...new Set(tables)] }
}
