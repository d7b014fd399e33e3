import { ExternalCall } from '#server/contracts/controller.ts'
import type { JobContext } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { manifestTextIn } from '#server/engines/archive-members.ts'
import { filesInManifest, NoManifest } from '#server/engines/manifest-reader.ts'
import type { ManifestFile, ManifestSummary } from '#server/engines/site-manifest.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { splitPath } from '#shared/rules/site-files.ts'
import type { SitesDeps } from '../deps.ts'
import { backupIdentity } from './archive-cipher.ts'
import { Damaged } from './damaged.ts'
import { hasList, readList, writeList } from './sealed-lists.ts'

/** Entries of a folder in one answer. */
const maxEntries = 1_000
/** Entries that are counted; the files of further ones are counted together. */
const maxCounted = 20_000

type Line = readonly [kind: 'table' | 'file', name: string, count: number]

/**
 * Writes what is in a backup: a line for each table and file. Where that is not possible the backup goes on: its page says that the list
 * is not here, and that a test restore reads it again. Throws `NoManifest`.
 */
export async function writeContents(
  deps: SitesDeps,
  { signal, log }: Pick<JobContext, 'signal' | 'log'>,
  of: { readonly backup: string; readonly identity: string },
  files: AsyncGenerator<ManifestFile, ManifestSummary, undefined>,
): Promise<void> {
  const lines = async function* (): AsyncGenerator<string, void, undefined> {
    const line = (...values: Line) => `${JSON.stringify(values)}\n`
    let next = await files.next()
    for (; next.done !== true; next = await files.next()) yield line('file', next.value.path, next.value.size)
    for (const [name, rows] of Object.entries(next.value.tables)) yield line('table', name, rows)
  }
  try {
    await writeList(deps, 'contents', of, lines(), signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NoManifest) throw error
    deps.log.warn('The list of what is in a backup could not be written', { backup: of.backup, error })
    const reason = systemErrorCode(error) || 'the log of this installation says more'
    log(`The list of what is in the backup could not be written (${reason}).`)
  }
}

/**
 * Reads the list again from the archive of a backup in clear, if it is not here: of an older backup, or one whose installation was moved.
 * Throws `Damaged` if the archive does not say what is in it.
 */
export async function findContents(
  deps: SitesDeps,
  job: JobContext,
  backup: SiteBackup,
  archive: string,
): Promise<void> {
  // What keeps us from looking keeps us from writing, too, which says so.
  if (await hasList(deps, 'contents', backup.name).catch(() => false)) return
  const identity = await job.transaction((tx) => backupIdentity(tx, backup.organization))
  try {
    await writeContents(deps, job, { backup: backup.name, identity }, filesInManifest(manifestTextIn(archive)))
  } catch (error) {
    if (!(error instanceof NoManifest)) throw error
    throw new Damaged('The archive does not say what is in it.', error.message)
  }
}

/** What the action `contents` of a backup returns: read after the transaction. */
export async function contentsOf(
  deps: SitesDeps,
  tx: Tx,
  { name: backup, organization }: SiteBackup,
  folder: string,
): Promise<ExternalCall> {
  if (typeof splitPath(folder) === 'string')
    throw new AppError('invalid', msg`This is no folder of the site.`, { field: 'folder' })
  const identity = await tx.secret(OrganizationDoctype, organization, 'backup_identity')
  return new ExternalCall(async (signal) => {
    if (identity === null || !(await hasList(deps, 'contents', backup)))
      throw new AppError('not_found', msg`The list of what is in this backup is not here.`, {
        nextAction: msg`Have it tested (Test restore): that reads the list from the backup.`,
      })
    return listed(linesOf(await readList(deps, 'contents', { backup, identity }, signal)), folder)
  }, null)
}

async function* linesOf(content: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let held = ''
  for await (const chunk of content) {
    // Not by `readline`, for which names can have line ends of their own.
    const lines = `${held}${chunk}`.split('\n')
    held = lines.pop() ?? ''
    yield* lines
  }
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
