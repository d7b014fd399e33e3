import type { ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { parseTimestamp } from '#server/jobs/clock.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { siteCall } from '../site-call.ts'

/** What the action `compare` of a backup returns: its site is looked at after the transaction. */
export async function compareWithSite(deps: SitesDeps, tx: Tx, backup: SiteBackup): Promise<ExternalCall> {
  const site = await tx.get(SiteDoctype, backup.site)
  if (site === null)
    throw new AppError('conflict', msg`The site of this backup is deleted.`, {
      nextAction: msg`Restore it as a new site.`,
    })
  // What came while it was made may be in it or not: it counts as not in it.
  const since = parseTimestamp(backup.taken_at ?? backup.creation)
  return siteCall(deps, tx, site, {
    needs: 'restore',
    async run(engine, ref, signal) {
      const { content, files } = await engine.restores.changesSince(ref, since, signal)
      return {
        now: { ...content?.counts, files: files.count },
        changed: { ...content?.changed, files: files.changed },
        is_whole: files.complete,
      }
    },
  })
}
