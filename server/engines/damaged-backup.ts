import { msg } from '#shared/localized-message.ts'
import { EngineError } from './engine.ts'

const nextAction = msg`Choose another backup.`

/** The error of an archive that is no backup, or one of another kind of site. */
export const noBackup = (): EngineError =>
  new EngineError('invalid', msg`The archive is no backup of such a site.`, { nextAction })

/** Throws EngineError `invalid` if files of a backup are not as its manifest says; some are named. */
export function assertFiles({ count, names }: { readonly count: number; readonly names: readonly string[] }): void {
  if (count === 0) return
  const some = names.slice(0, 3).join(', ').slice(0, 300)
  throw new EngineError('invalid', msg`The backup is damaged: it is not as it was backed up (${some}).`, { nextAction })
}

/** Throws EngineError `invalid` unless a dump has as many rows of each of these tables as the manifest says. */
export function assertRows(found: ReadonlyMap<string, number>, tables: readonly (readonly [string, number])[]): void {
  for (const [table, rows] of tables) {
    const count = found.get(table) ?? 0
    if (count === rows) continue
    throw new EngineError(
      'invalid',
      msg`The backup is damaged: its dump has ${count} rows of the table ${table} instead of ${rows}.`,
      { nextAction },
    )
  }
}
