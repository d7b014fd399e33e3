import { constants } from 'node:fs'
import { copyFile, link, mkdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { exists } from '#server/platform/files/exists.ts'
import { filesOlderThan, listNames } from '#server/platform/files/list-folder.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { ArchiveFiles } from '../archives/open-archive.ts'

/** Where they are kept. */
interface ImportFolder {
  readonly options: { readonly dataDir: string }
}

/** Archives that are being imported, in a folder of ours. */
const folderOf = ({ options }: ImportFolder): string => join(resolve(options.dataDir), 'local', 'imports')

/** The path of an archive. Throws EngineError `invalid` for anything but an id of ours. */
export function archivePath(base: ImportFolder, archive: string): string {
  if (!/^[0-9a-f]{32}$/.test(archive))
    throw new EngineError('invalid', msg`The upload does not exist.`, { nextAction: msg`Upload it again.` })
  return join(folderOf(base), `${archive}.zip`)
}

const partsEnd = '.parts'
const partsPath = (base: ImportFolder, archive: string): string =>
  `${archivePath(base, archive).slice(0, -4)}${partsEnd}`

/** Keeps an uploaded file, which stays where it is, without copying it where the disk allows that. */
export async function keepArchive(base: ImportFolder, archive: string, path: string): Promise<string> {
  const kept = archivePath(base, archive)
  await mkdir(folderOf(base), { recursive: true, mode: 0o700 })
  if (await exists(kept)) return kept
  try {
    await link(path, kept)
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK'].includes(systemErrorCode(error))) throw error
    await copyFile(path, kept, constants.COPYFILE_EXCL)
  }
  return kept
}

/** An archive that a site is made of, and its size. */
export type KeptArchive = ArchiveFiles & { readonly bytes: number }

/** The kept archive, and the folder for its parts. Throws EngineError `not_found` if it is gone. */
export async function existingArchive(base: ImportFolder, archive: string): Promise<KeptArchive> {
  const path = archivePath(base, archive)
  if (await exists(path)) return { archive: path, parts: partsPath(base, archive), bytes: (await stat(path)).size }
  throw new EngineError('not_found', msg`The uploaded archive is no longer there.`, {
    nextAction: msg`Delete the new site, and import the archive again.`,
  })
}

/** Forgets an archive. */
export async function discardArchive(base: ImportFolder, archive: string): Promise<void> {
  for (const path of [archivePath(base, archive), partsPath(base, archive)])
    await rm(path, { recursive: true, force: true })
}

/** Forgets those from before a time (milliseconds since 1970), and parts whose archive is gone. */
export async function expireArchives(base: ImportFolder, before: number): Promise<void> {
  const folder = folderOf(base)
  if (!(await exists(folder))) return
  const old = await filesOlderThan(folder, before)
  for (const name of old) if (name.endsWith('.zip')) await discardArchive(base, name.slice(0, -4))
  for (const name of await listNames(folder)) {
    const id = name.slice(0, -partsEnd.length)
    if (!name.endsWith(partsEnd) || (await exists(archivePath(base, id)))) continue
    const found = await stat(join(folder, name)).catch(() => null)
    if (found !== null && found.mtimeMs < before) await discardArchive(base, id)
  }
}
