import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline as passOn, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { ExternalCall } from '#server/contracts/controller.ts'
import type { JobContext } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { manifestTextIn } from '#server/engines/archive-members.ts'
import { filesInManifest } from '#server/engines/manifest-reader.ts'
import type { ManifestFile, ManifestSummary } from '#server/engines/site-manifest.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { exists } from '#server/platform/files/exists.ts'
import { filesOlderThan } from '#server/platform/files/list-folder.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { splitPath } from '#shared/rules/site-files.ts'
import type { SitesDeps } from '../deps.ts'
import { backupIdentity, decrypted, encrypted } from './archive-cipher.ts'

/*
 * What is in each backup, beside the archives: a manifest is at the end of its archive, which lies in a bucket. A line for each table
 * and file, compressed, and encrypted for the key of the organization like the archive.
 */

/** Entries of a folder in one answer. */
const maxEntries = 1_000
/** Entries that are counted; the files of further ones are counted together. */
const maxCounted = 20_000

const folderOf = ({ backupsFolder }: SitesDeps): string => join(backupsFolder, 'contents')
const ending = '.zst.age'
const pathOf = (deps: SitesDeps, backup: string): string => join(folderOf(deps), `${backup}${ending}`)

type Line = readonly [kind: 'table' | 'file', name: string, count: number]

/** Writes what is in a backup. */
export async function writeContents(
  deps: SitesDeps,
  identity: string,
  backup: string,
  files: AsyncGenerator<ManifestFile, ManifestSummary, undefined>,
): Promise<void> {
  const lines = async function* (): AsyncGenerator<string, void, undefined> {
    const line = (...values: Line) => `${JSON.stringify(values)}\n`
    let next = await files.next()
    for (; next.done !== true; next = await files.next()) yield line('file', next.value.path, next.value.size)
    for (const [name, rows] of Object.entries(next.value.tables)) yield line('table', name, rows)
  }
  const path = pathOf(deps, backup)
  await mkdir(folderOf(deps), { recursive: true, mode: 0o700 })
  const packed = createZstdCompress()
  // Its error is that of what reads it.
  passOn(Readable.from(lines(), { objectMode: false }), packed, () => undefined)
  try {
    await pipeline(await encrypted(identity, packed), createWriteStream(`${path}.new`, { mode: 0o600 }))
    await rename(`${path}.new`, path)
  } catch (error) {
    // It is there to choose from: a backup without it is as good as any other.
    await rm(`${path}.new`, { force: true })
    deps.log.warn('The list of what is in a backup could not be written', { backup, error })
  }
}

/** Reads the list again from the archive of a backup in clear, if it is not here: of an older backup, or one whose installation was moved. */
export async function findContents(
  deps: SitesDeps,
  job: JobContext,
  backup: SiteBackup,
  archive: string,
): Promise<void> {
  if (await exists(pathOf(deps, backup.name))) return
  const identity = await job.transaction((tx) => backupIdentity(tx, backup.organization))
  await writeContents(deps, identity, backup.name, filesInManifest(manifestTextIn(archive)))
}

/** What the action `contents` of a backup returns: read after the transaction. */
export async function contentsOf(deps: SitesDeps, tx: Tx, backup: SiteBackup, folder: string): Promise<ExternalCall> {
  if (typeof splitPath(folder) === 'string')
    throw new AppError('invalid', msg`This is no folder of the site.`, { field: 'folder' })
  const identity = await tx.secret(OrganizationDoctype, backup.organization, 'backup_identity')
  const path = pathOf(deps, backup.name)
  return new ExternalCall(async (signal) => {
    if (identity === null || !(await exists(path)))
      throw new AppError('not_found', msg`The list of what is in this backup is not here.`, {
        nextAction: msg`Have it tested (Test restore): that reads the list from the backup.`,
      })
    return listed(linesOf(await decrypted(identity, createReadStream(path)), signal), folder)
  }, null)
}

async function* linesOf(content: Readable, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  const unpacked = createZstdDecompress()
  const done = pipeline(content, unpacked, { signal })
  // Whoever reads the lines gets its error.
  done.catch((error: unknown) => unpacked.destroy(error instanceof Error ? error : new Error(String(error))))
  let held = ''
  for await (const chunk of unpacked.setEncoding('utf8') as AsyncIterable<string>) {
    // Not by `readline`, for which names can have line ends of their own.
    const lines = `${held}${chunk}`.split('\n')
    held = lines.pop() ?? ''
    yield* lines
  }
  await done
}

type Entry = { readonly name: string; readonly is_folder: boolean; files: number; size: number }

/** The entries of a folder, folders first. */
async function listed(lines: AsyncIterable<string>, folder: string) {
  const inside = folder === '' ? '' : `${folder}/`
  // Most lines are about other folders and need not be parsed.
  const begin = `["file",${JSON.stringify(inside).slice(0, -1)}`
  const entries = new Map<string, Entry>()
  const tables: { name: string; rows: number }[] = []
  let more = 0
  for await (const line of lines) {
    if (folder === '' && line.startsWith('["table"')) {
      const [, name, rows] = JSON.parse(line) as Line
      tables.push({ name, rows })
    }
    if (!line.startsWith(begin)) continue
    const [, path, size] = JSON.parse(line) as Line
    const rest = path.slice(inside.length)
    const end = rest.indexOf('/')
    const name = end < 0 ? rest : rest.slice(0, end)
    const entry = entries.get(name) ?? { name, is_folder: end >= 0, files: 0, size: 0 }
    if (!entries.has(name) && entries.size >= maxCounted) {
      more += 1
      continue
    }
    entry.files += 1
    entry.size += size
    entries.set(name, entry)
  }
  const sorted = [...entries.values()].toSorted(
    (a, b) => Number(b.is_folder) - Number(a.is_folder) || (a.name < b.name ? -1 : 1),
  )
  for (const { files } of sorted.slice(maxEntries)) more += files
  return { entries: sorted.slice(0, maxEntries), tables, more }
}

/** Removes the lists of backups that are gone, and what a killed process left of one. */
export async function removeOldContents(deps: SitesDeps): Promise<void> {
  const { clock = systemClock, documents } = deps
  for (const file of await filesOlderThan(folderOf(deps), clock.now() - 3_600_000)) {
    const name = file.endsWith(ending) ? file.slice(0, -ending.length) : null
    const isKept =
      name !== null &&
      (await documents().transaction(systemSession('schedule'), (tx) => tx.get(SiteBackupDoctype, name))) !== null
    if (!isKept) await rm(join(folderOf(deps), file), { force: true })
  }
}
