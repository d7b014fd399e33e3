import type { JobContext } from '#server/contracts/job.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { BackupDefect } from '#shared/rules/backups.ts'
import { showAtSite, writeBackup } from '../backup-parts.ts'
import { needing } from './chains.ts'

const takenAt = ({ taken_at: at }: SiteBackup): string => `${(at ?? '').slice(0, 16)} (UTC)`

/**
 * A damaged archive costs every backup that needs it: each of them says so, and the damaged one names them. Each in a transaction of its
 * own, which holds no other backup.
 * @param job the proof that found it out; its own backup says so already
 * @param archive the backup whose archive is damaged
 */
export async function reportToNeeding(
  { transaction, referenceName }: Pick<JobContext, 'transaction' | 'referenceName'>,
  archive: string,
): Promise<void> {
  const { found, damaged, needed } = await transaction(async (tx) => {
    const one = await tx.get(SiteBackupDoctype, archive)
    return {
      found: await tx.get(SiteBackupDoctype, referenceName),
      damaged: one,
      needed: one ? await needing(tx, one) : [],
    }
  })
  if (!found || !damaged) return
  const fail = (name: string, defects: readonly BackupDefect[]) =>
    transaction((tx) =>
      writeBackup(tx, name, { proof: 'Failed', proof_detail: defects, proof_seen: [], proved_at: found.proved_at }),
    )
  const isOwn = damaged.name === found.name
  const own = isOwn
    ? (found.proof_detail ?? [])
    : [{ defect: 'Its archive is damaged.', evidence: `Found by the proof of the backup of ${takenAt(found)}.` }]
  const costs = needed.map((one) => ({
    defect: `The backup of ${takenAt(one)} needs its archive.`,
    evidence: one.name,
  }))
  if (!isOwn || costs.length > 0) await fail(damaged.name, [...own, ...costs])
  for (const { name, status } of needed)
    if (name !== found.name && (status === 'Ready' || status === 'Restoring'))
      await fail(name, [
        { defect: `It needs the archive of the backup of ${takenAt(damaged)}, which is damaged.`, evidence: archive },
      ])
  await transaction((tx) => showAtSite(tx, found.site))
}
