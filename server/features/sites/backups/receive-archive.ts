import { identityToRecipient } from 'age-encryption'
import type { JobContext } from '#server/contracts/job.ts'
import { StopError } from '#server/jobs/failure.ts'
import type { KeptUpload, SendPart } from '#server/platform/network/sent-parts.ts'
import type { SealedSite, Sealing } from '#server/engines/site-backups.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { localBackups } from '#shared/rules/backups.ts'
import type { SitesDeps } from '../deps.ts'
import { translateEngineErrors } from '../engine-of.ts'
import { backupIdentity } from './archive-cipher.ts'
import { backupOf, saidOf } from './backup-parts.ts'
import { writeContents } from './contents.ts'
import { forgetContent } from './increments/content-lists.ts'
import { sealingOfNew } from './increments/seal-new.ts'
import { storeOf } from './stores.ts'

/** What `age` adds to content: its header, and 16 bytes to each 64 kB. */
const headerBytes = { least: 150, most: 4_096 }
const chunkBytes = 65_536
const tagBytes = 16
/** Longer texts than this can't be kept (`JobContext.keep`); those of stores are shorter. */
const longestKept = 500

/** What the machine of a site has to know to send an archive by itself; null for a store that it can't send to. */
export async function sealingOf(
  deps: SitesDeps,
  job: Pick<JobContext, 'transaction' | 'log'>,
  name: string,
): Promise<Sealing | null> {
  const backup = await backupOf(job, name)
  if (backup.store === null || backup.store === localBackups) return null
  const { direct } = await job.transaction((tx) => storeOf(deps, tx, backup))
  if (direct === null) return null
  const identity = await job.transaction((tx) => backupIdentity(tx, backup.organization))
  // Of an attempt before this one: it would not be that of the archive.
  await forgetContent(deps, name)
  return {
    recipient: await identityToRecipient(identity),
    attempt: (send, signal) => direct.attempt(backup, send, signal),
    ...sealingOfNew(deps, { name, identity }, job),
  }
}

/**
 * Stores an archive that the machine of its site sends, and says what the document gets to know of it. Sizes and checksums are what that
 * machine says: the proof compares them with what it fetches.
 */
export async function received(
  deps: SitesDeps,
  name: string,
  { manifest, files, size, clear, needs, parts, sending }: SealedSite,
  step: JobContext,
): Promise<Partial<SiteBackup>> {
  // Where it lies goes by the domain that it was packed under.
  const backup = { ...(await backupOf(step, name)), site_domain: manifest.site }
  const { direct } = await step.transaction((tx) => storeOf(deps, tx, backup))
  if (direct === null)
    throw new AppError('conflict', msg`The store of this backup is reached in another way now.`, {
      nextAction: msg`Back the site up again.`,
    })
  if (needs && !(backup.chain !== null && needs.every((one) => backup.needs?.includes(one))))
    throw new AppError('conflict', msg`The backups that this one needs are no longer kept for it.`, {
      nextAction: msg`Back the site up again.`,
    })
  assertSize(
    clear.bytes,
    parts.reduce((sum, { bytes }) => sum + bytes, 0),
  )
  const identity = await step.transaction((tx) => backupIdentity(tx, backup.organization))
  const send = sending(step.signal)
  const sendOn: SendPart = async (part, target) => {
    const tag = await translateEngineErrors(send(part, target))
    step.progress(target.number / parts.length)
    return tag
  }
  const upload = keptUpload(step, parts.length)
  const bytes = await direct.receive(backup, { parts, send: sendOn, upload }, step.signal)
  step.log(
    `The server sent ${Math.ceil(bytes / 1_048_576)} MB to the bucket, encrypted${needs ? ': what is new since the backup before' : ''}`,
  )
  await writeContents(deps, step, { backup: name, identity }, files())
  return {
    size,
    stored_size: bytes,
    sha256: clear.sha256,
    chain: needs ? backup.chain : name,
    needs,
    ...saidOf(manifest),
  }
}

/** Its parts are compared, so it does no harm if it is that of another archive. One that nobody goes on with is ended by the sweep. */
function keptUpload(step: JobContext, parts: number): KeptUpload {
  const { archive_upload: begun } = step.kept
  return {
    begun: typeof begun === 'string' ? begun : null,
    keep(upload) {
      if (upload.length <= longestKept) step.keep({ archive_upload: upload })
    },
    found: (there) => step.log(`Going on: ${there} of ${parts} parts are in the bucket already`),
    staysFor: (reason) => reason instanceof StopError && reason.reason !== 'cancel',
  }
}

function assertSize(size: number, encrypted: number): void {
  const added = encrypted - size - Math.ceil(size / chunkBytes) * tagBytes
  if (added >= headerBytes.least && added <= headerBytes.most) return
  throw new AppError('unavailable', msg`What the server says of the archive cannot be true.`, {
    nextAction: msg`Look at the server, then try again.`,
  })
}
