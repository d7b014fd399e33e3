import { createWriteStream } from 'node:fs'
import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { writeZip, type ZipContent } from '#server/platform/files/zip-writer.ts'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import { checkedContent } from '#server/platform/tree-files/unpack-members.ts'
import { openZip } from '#server/platform/tree-files/unzip-files.ts'
import type { ZipMember } from '#server/platform/tree-files/zip-entries.ts'
import type { GitHub, GitHubFile } from '#server/providers/github/github.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { deploymentLimits, isRepositoryFile, shortCommit } from '#shared/rules/repositories.ts'
import { isNewName, splitPath } from '#shared/rules/site-files.ts'
import { shownPath } from '../shown-path.ts'

/** What a deployment does to the files of a site. Paths are those in the repository. */
export interface CommitChange {
  /** A ZIP archive on this machine of the files that are put; null: none are. */
  readonly archive: string | null
  readonly put: readonly string[]
  readonly removed: readonly string[]
}

interface Wanted {
  readonly repository: string
  readonly commit: string
  /** What is on the site; null: not known, so all files are put and none is removed. */
  readonly previous: string | null
  /** For what is made on the way; emptied before. */
  readonly folder: string
  readonly signal: AbortSignal
  log(line: string): void
}

/** Reads what a commit changes, and fetches it. Throws AppError for a repository that is too large, or has what is no plain file. */
export async function readChange(github: GitHub, wanted: Wanted): Promise<CommitChange> {
  const { repository, commit, folder, signal } = wanted
  const files = checked(await filesOf(github, wanted, commit))
  const before = await filesBefore(github, wanted)
  const put = [...files.values()].filter(({ path, sha }) => before?.get(path)?.sha !== sha).map(({ path }) => path)
  const removed = [...(before?.keys() ?? [])].filter((path) => !files.has(path))
  if (put.length === 0) return { archive: null, put, removed }
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const fetched = join(folder, 'fetched.zip')
  await writeFile(fetched, await github.archive(repository, { sha: commit }, signal), { mode: 0o600 })
  const archive = join(folder, 'changed.zip')
  const written = await repack(fetched, archive, new Set(put), signal)
  // `export-ignore` in .gitattributes leaves files out of archives.
  return { archive: written.length === 0 ? null : archive, put: written, removed }
}

async function filesOf(github: GitHub, { repository, signal }: Wanted, sha: string): Promise<readonly GitHubFile[]> {
  return github.files(repository, await github.commit(repository, { sha }, signal), signal)
}

async function filesBefore(github: GitHub, wanted: Wanted): Promise<ReadonlyMap<string, GitHubFile> | null> {
  const { previous, log } = wanted
  if (previous === null) return null
  try {
    const files = await filesOf(github, wanted, previous)
    return new Map(
      files.filter((file) => file.kind === 'file' && isDeployed(file.path)).map((file) => [file.path, file]),
    )
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid') throw error
    // It was pushed over, and GitHub has forgotten it.
    log(`${shortCommit(previous)} is gone from the repository: all files are put, and none is removed`)
    return null
  }
}

const isPlain = (path: string): boolean => {
  const names = splitPath(path)
  return Array.isArray(names) && names.length > 0 && names.every((name) => isNewName(name) && !/^\.git$/i.test(name))
}

const isDeployed = (path: string): boolean => isPlain(path) && !isRepositoryFile(path)

/** The files of a commit that are deployed, by path. */
function checked(all: readonly GitHubFile[]): ReadonlyMap<string, GitHubFile> {
  const files = all.filter(({ path }) => !isRepositoryFile(path))
  if (files.length > deploymentLimits.files)
    throw refusal(msg`The repository has more than ${deploymentLimits.files} files.`)
  let bytes = 0
  for (const { path, kind, size } of files) {
    if (kind !== 'file') throw refusal(msg`The repository has a link or a submodule: ${shownPath(path)}.`)
    if (!isPlain(path)) throw refusal(msg`The repository has a path that is not allowed: ${shownPath(path)}.`)
    if (size > deploymentLimits.file) throw refusal(msg`A file of the repository is too large: ${shownPath(path)}.`)
    bytes += size
  }
  if (bytes > deploymentLimits.bytes)
    throw refusal(msg`The files of the repository are larger than ${deploymentLimits.bytes / 1_048_576} MB.`)
  return new Map(files.map((file) => [file.path, file]))
}

const refusal = (message: LocalizedMessage) =>
  new AppError('invalid', message, { nextAction: msg`Change that in the repository, then deploy again.` })

/** Writes an archive of only some files, without the folder that GitHub puts around them. Returns those that there are. */
async function repack(from: string, to: string, wanted: ReadonlySet<string>, signal: AbortSignal): Promise<string[]> {
  const file = await open(from)
  try {
    const part = { fd: file.fd, start: 0, size: (await file.stat()).size }
    const members = await openZip(part, damaged)
    const roots = new Set(members.map(({ path }) => path.split('/')[0]))
    if (roots.size !== 1) throw damaged()
    const inside = members.flatMap((member) => {
      const path = member.path.slice(member.path.indexOf('/') + 1)
      return !member.isFolder && member.path.includes('/') && wanted.has(path) ? [{ member, path }] : []
    })
    const bytes = inside.reduce((sum, { member }) => sum + member.size, 0)
    if (bytes > deploymentLimits.bytes || inside.some(({ member }) => member.size > deploymentLimits.file))
      throw refusal(msg`The archive of the repository is larger than its files.`)
    await pipeline(writeZip(contentsOf(inside)), createWriteStream(to, { mode: 0o600 }), { signal })
    return inside.map(({ path }) => path)
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error
    throw new AppError('invalid', error.localized, {
      nextAction: msg`Nothing was changed. Look at the repository.`,
      cause: error,
    })
  } finally {
    await file.close()
  }
}

function* contentsOf(files: readonly { readonly member: ZipMember; readonly path: string }[]): Generator<ZipContent> {
  for (const { member, path } of files)
    yield { name: Buffer.from(path), mode: 0o100644, modified: new Date(), content: checkedContent(member) }
}

const damaged = () => new FileRefusal('invalid', msg`GitHub sent no archive of the repository.`, msg`Try again later.`)
