import { sql } from 'kysely'
import { isOfFullDisk } from '#server/platform/files/disk-space.ts'
import type { Db } from '#server/platform/database/database.ts'
import { StartupError, systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { msg, serializeMessage } from '#shared/localized-message.ts'
import type { ExcludedSite, Manifest } from './format.ts'
import { invalidArchive } from './archive-errors.ts'

/** The line both commands print about sites without files. */
export function excludedSitesText(sites: readonly ExcludedSite[]): string {
  const named = sites.map(({ name, domain }) => `${domain} (${name})`).join(', ')
  return `NOT included, as requested: the files of ${sites.length} ${sites.length === 1 ? 'site' : 'sites'}: ${named}.`
}

/** The result for an archive that was read to the end without an error. */
export const archiveSummary = ({ without }: Manifest): string =>
  without.length === 0 ? 'The archive is whole' : 'The archive is undamaged, without the files of some sites'

/** The sites selected by domain or document name. Throws `StartupError` for unknown names. */
export function findExcludedSites<T extends ExcludedSite>(
  sites: readonly T[],
  wanted: readonly string[],
): ReadonlySet<T> {
  return new Set(
    wanted.map((one) => {
      const found = sites.filter(({ name, domain }) => name === one || domain === one)
      const [site] = found
      if (site === undefined)
        throw new StartupError(
          `--without names ${one}, and there is no local site of that name.`,
          'Give the first part of its address, or the last part of the address of its page in the dashboard.',
        )
      if (found.length > 1)
        throw new StartupError(
          `--without ${one} could be one of several sites: ${found.map(({ name }) => name).join(', ')}.`,
          'Give one of these instead.',
        )
      return site
    }),
  )
}

/** Explains why a site can't be exported and how to exclude it. */
export function unreadableSiteError({ domain }: ExcludedSite, error: unknown): StartupError {
  // Reading needs disk space only if a large database is copied first.
  if (isOfFullDisk(error))
    return new StartupError(
      `There is no room in the data folder to copy a database of the site ${domain}: the disk is full.`,
      'Free some space, then run the export again.',
      error,
    )
  const { message, nextAction } = reasonOf(error)
  return new StartupError(
    `The site ${domain} cannot be exported. ${message}`,
    `${nextAction} To export everything else, add "--without ${domain}": then its files are not in the archive.`,
    error,
  )
}

function reasonOf(error: unknown): { message: string; nextAction: string } {
  if (error instanceof StartupError) return error
  const code = systemErrorCode(error)
  const path = error instanceof Error && 'path' in error ? String(error.path) : null
  return {
    message:
      code === ''
        ? `Its record is damaged: ${error instanceof Error ? error.message : String(error)}`
        : `${path ?? 'A file of it'} cannot be read (${code}).`,
    nextAction: 'Repair it, then run the export again.',
  }
}

/** Marks imported sites without files as failed: they don't respond and can only be deleted. */
export async function markExcludedSites(trx: Db, sites: readonly ExcludedSite[]): Promise<void> {
  if (sites.length === 0) return
  const failure = serializeMessage(
    'failure_reason',
    msg`The files of this site were left out when the installation was exported. Delete it permanently, or import an archive that holds them into another installation.`,
  )
  const { numAffectedRows } = await sql`update tab_site set status = 'Failed', health = 'Down', locked_by_job = null,
      archived_at = null, response_ms = null, disk_used = 0, disk_used_at_least = 0,
      storage = null,
      failure_reason = ${failure.failure_reason}, failure_reason_i18n = ${JSON.stringify(failure.failure_reason_i18n)}
    where engine = 'local' and name in (${sql.join(sites.map(({ name }) => name))})`.execute(trx)
  if (numAffectedRows !== BigInt(sites.length)) throw invalidArchive('sites without files that it has no entries of')
}
