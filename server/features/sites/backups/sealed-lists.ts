import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, pipeline as passOn, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { unzstd } from '#server/platform/files/unzstd.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { exists } from '#server/platform/files/exists.ts'
import { filesOlderThan } from '#server/platform/files/list-folder.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import type { SitesDeps } from '../deps.ts'
import { decrypted, encrypted } from './archive-cipher.ts'

/*
 * What this machine knows of backups besides their archives: of which pieces they consist, so that the next one contains only new ones,
 * and which files and tables are in them, as a manifest is at the end of an archive that lies in a bucket. Compressed, and encrypted for
 * the key of the organization like the archives: they name files, and their sums say which known ones a site has.
 */
const kinds = ['pieces', 'contents'] as const
type ListKind = (typeof kinds)[number]
type Place = Pick<SitesDeps, 'backupsFolder'>

/** Values that a filter lists at most. */
const listedAtOnce = 500
const folderOf = ({ backupsFolder }: Place, kind: ListKind): string => join(backupsFolder, kind)
const pathOf = (deps: Place, kind: ListKind, backup: string): string => join(folderOf(deps, kind), `${backup}.zst.age`)

/** Writes a list of a backup: all of it, or nothing. */
export async function writeList(
  deps: Place,
  kind: ListKind,
  { backup, identity }: { readonly backup: string; readonly identity: string },
  content: AsyncIterable<string> | Iterable<string>,
  signal?: AbortSignal,
): Promise<void> {
  const path = pathOf(deps, kind, backup)
  await mkdir(folderOf(deps, kind), { recursive: true, mode: 0o700 })
  const packed = createZstdCompress()
  // Its error is that of what reads it.
  passOn(Readable.from(content, { objectMode: false }), packed, () => undefined)
  try {
    const sealed = await encrypted(identity, packed)
    // Not before: nobody would hear that it can't be opened.
    await pipeline(sealed, createWriteStream(`${path}.new`, { mode: 0o600, flush: true }), { signal })
    await rename(`${path}.new`, path)
  } catch (error) {
    await rm(`${path}.new`, { force: true })
    throw error
  }
}

/** Whether a list of a backup is here. */
export const hasList = (deps: Place, kind: ListKind, backup: string): Promise<boolean> =>
  exists(pathOf(deps, kind, backup))

/** The text of a list. Its stream fails with `ENOENT` if it is not here. */
export async function readList(
  deps: Place,
  kind: ListKind,
  { backup, identity }: { readonly backup: string; readonly identity: string },
  signal?: AbortSignal,
): Promise<AsyncIterable<string>> {
  const unpacked = unzstd()
  if (signal) addAbortSignal(signal, unpacked)
  // Its error is that of what reads it.
  passOn(await decrypted(identity, createReadStream(pathOf(deps, kind, backup))), unpacked, () => undefined)
  return unpacked.setEncoding('utf8') as AsyncIterable<string>
}

/** Removes a list of a backup. */
export const removeList = (deps: Place, kind: ListKind, backup: string): Promise<void> =>
  rm(pathOf(deps, kind, backup), { force: true })

/** Removes all lists of a backup. */
export async function removeLists(deps: Place, backup: string): Promise<void> {
  for (const kind of kinds) await removeList(deps, kind, backup)
}

/** Removes lists of backups that nobody can restore, or build on, any more, and what a killed process left of one. */
export async function sweepLists(deps: SitesDeps): Promise<void> {
  const { clock = systemClock } = deps
  for (const kind of kinds) {
    const files = await filesOlderThan(folderOf(deps, kind), clock.now() - 3_600_000)
    while (files.length > 0) await sweepSome(deps, kind, files.splice(0, listedAtOnce))
  }
}

async function sweepSome(deps: SitesDeps, kind: ListKind, files: readonly string[]): Promise<void> {
  const backups = files.map((file) => file.replace(/\.zst\.age$/, ''))
  const wanted = await deps.documents().transaction(systemSession('schedule'), (tx) =>
    tx.listFields(
      SiteBackupDoctype,
      ['name'],
      [
        ['name', 'in', backups],
        ['status', 'not in', ['Failed', 'Expired']],
      ],
    ),
  )
  const kept = new Set(wanted.map(({ name }) => name))
  for (const [at, file] of files.entries())
    if (!kept.has(backups[at] ?? '')) await rm(join(folderOf(deps, kind), file), { force: true })
}
