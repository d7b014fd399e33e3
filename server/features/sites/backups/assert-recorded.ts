import { stat } from 'node:fs/promises'
import { manifestTextIn } from '#server/engines/archive-members.ts'
import { NoManifest, readManifest } from '#server/engines/manifest-reader.ts'
import type { ManifestSummary } from '#server/engines/site-manifest.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { Damaged, throwUnlessDamage } from './damaged.ts'

/**
 * Compares the archive of a backup, in clear, with what was recorded when it was made: a checksum can be recorded at another backup, and
 * then belongs to another site, or to another day. Throws `Damaged`.
 */
export async function assertRecorded(backup: SiteBackup, archive: string, signal: AbortSignal): Promise<void> {
  const said = await manifestOf(archive, signal)
  const { size } = await stat(archive)
  // How one that was put together is compressed depends on the library.
  if (backup.needs === null && size !== backup.size)
    throw new Damaged(
      'The archive is not as large as the one that was stored.',
      `${size} bytes instead of ${backup.size}`,
    )
  const isOther = (what: string, found: unknown, recorded: unknown): string[] =>
    found === recorded ? [] : [`${what}: ${String(found)} instead of ${String(recorded)}`]
  const other = [
    ...isOther('site', said.site, backup.site_domain),
    ...isOther('type', said.type, backup.site_type),
    ...isOther('WordPress', said.wordpress_version, backup.wordpress_version),
    ...isOther('PHP', said.php_version, backup.php_version),
    ...Object.entries({ ...said.counts, files: said.files }).flatMap(([what, count]) =>
      isOther(what, count, backup.counts?.[what]),
    ),
  ]
  if (other.length > 0) throw new Damaged('The archive is that of another backup.', other.join(', ').slice(0, 300))
}

async function manifestOf(archive: string, signal: AbortSignal): Promise<ManifestSummary> {
  try {
    return await readManifest(manifestTextIn(archive))
  } catch (error) {
    signal.throwIfAborted()
    throwUnlessDamage(error)
    if (error instanceof NoManifest && error.problem === 'later')
      throw new Damaged('The archive was made by a newer version of Easydash.', `manifest version ${error.version}`)
    if (error instanceof NoManifest) throw new Damaged('The archive does not say what is in it.', error.message)
    throw new Damaged('The archive cannot be read to its end.', String(error).slice(0, 300))
  }
}
