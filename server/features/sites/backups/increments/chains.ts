import type { Tx } from '#server/contracts/transaction.ts'
import { parseTimestamp } from '#server/jobs/clock.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { plural, msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { mostArchives } from './increment-archive.ts'
import type { Compared } from './known-content.ts'

/** A full backup is made at least every so many days. */
const mostDays = 31
/** Of smaller archives nothing is saved that is worth a second archive. */
const leastBytes = 1_048_576
/** Where less than this part of a backup is in earlier archives, those are not worth being needed. */
const leastShared = 0.1

/** States of backups whose archives somebody can still want. */
const wanted = ['Queued', 'Running', 'Ready', 'Restoring'] as const

/** Whether an increment is worth that it needs other archives. */
export const sharesEnough = ({ sharedBytes, bytes }: Pick<Compared, 'sharedBytes' | 'bytes'>): boolean =>
  sharedBytes >= leastShared * bytes

/** The newest backup of the same site in the same store, if the next one of so many bytes can contain only what changed since. */
export async function possibleBase(tx: Tx, backup: SiteBackup, bytes: number): Promise<SiteBackup | null> {
  // It is to be there when all others are gone.
  if (bytes < leastBytes || backup.kind === 'final') return null
  const [newest] = await tx.list(
    SiteBackupDoctype,
    [
      ['site', '=', backup.site],
      ['organization', '=', backup.organization],
      ['store', '=', backup.store ?? ''],
      ['status', 'in', ['Ready', 'Restoring']],
    ],
    { order_by: 'taken_at desc, creation desc', limit: 1 },
  )
  if (!newest || !canBeBase(newest)) return null
  const needed = newest.needs ?? []
  if (needed.length + 2 > mostArchives) return null
  const archives = await tx.list(SiteBackupDoctype, [['name', 'in', [...needed, newest.name]]])
  const full = archives.find(({ name }) => name === newest.chain)
  const taken = parseTimestamp(backup.taken_at ?? backup.creation)
  if (!full?.taken_at || taken - parseTimestamp(full.taken_at) >= mostDays * 86_400_000) return null
  const increments = archives.reduce(
    (sum, { name, stored_size: size }) => sum + (name === full.name ? 0 : (size ?? 0)),
    0,
  )
  return increments < (full.stored_size ?? 0) ? newest : null
}

const canBeBase = ({ status, proof, chain }: SiteBackup): boolean =>
  (status === 'Ready' || status === 'Restoring') && proof !== 'Failed' && chain !== null

/**
 * Has a backup need another one and what that needs, before anything is read of them: from then on their archives stay. False if the
 * other one is no longer there. The row of the full backup is the lock of all that build on it.
 */
export async function holdBase(tx: Tx, backup: string, base: SiteBackup): Promise<boolean> {
  const full = await tx.get(SiteBackupDoctype, base.chain ?? '', { lock: true })
  const now = full && (await tx.get(SiteBackupDoctype, base.name))
  if (!now || !canBeBase(now)) return false
  await tx.update(
    SiteBackupDoctype,
    backup,
    { chain: now.chain, needs: [...(now.needs ?? []), now.name] },
    { hooks: false, activity: false },
  )
  return true
}

/** Backups that can't be restored without the archive of another one. */
export async function needing(tx: Tx, { name, chain }: Pick<SiteBackup, 'name' | 'chain'>): Promise<SiteBackup[]> {
  if (chain === null) return []
  const others = await tx.list(SiteBackupDoctype, [
    ['chain', '=', chain],
    ['status', 'in', wanted],
  ])
  return others.filter(({ needs }) => needs?.includes(name))
}

/** The same, while no other one can begin to need it. */
export async function needingNow(tx: Tx, backup: Pick<SiteBackup, 'name' | 'chain'>): Promise<SiteBackup[]> {
  if (backup.chain !== null && backup.chain !== backup.name)
    await tx.get(SiteBackupDoctype, backup.chain, { lock: true })
  return needing(tx, backup)
}

/** Why the archive of a deleted backup is still there. */
export const keptFor = (count: number): LocalizedMessage =>
  plural(
    count,
    msg`${count} other backup needs its archive, which is deleted with that backup.`,
    msg`${count} other backups need its archive, which is deleted with the last of them.`,
  )
