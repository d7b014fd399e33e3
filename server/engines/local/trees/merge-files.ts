import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, rmdirSync, rmSync } from 'node:fs'
import type { PushSide, PushWhat } from '#shared/responses/push-plan.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { openFolder } from '#server/platform/trees/folder.ts'
import { walkTree } from '#server/platform/trees/walk.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { copyContent } from './copy.ts'
import { listFiles, readManifest, type FileList, type KnownFile, type SiteFilesRoot } from './file-manifest.ts'
import { overQuota, type TreeLimits } from './limits.ts'

/** Input of `compare`. */
export interface CompareInput {
  /** The list of the files of the staging site when it was made. */
  readonly manifest: string
  readonly stage: SiteFilesRoot
  readonly live: SiteFilesRoot
  readonly limits: TreeLimits
}

/** A file that changed on both sides. */
interface FileClash {
  readonly id: string
  readonly path: string
  readonly staging: PushWhat
  readonly live: PushWhat
}

/** What a push of files would do. */
export interface ComparedFiles {
  /** Another one as soon as the push would do something else. */
  readonly digest: string
  readonly staging: PushSide
  readonly live: PushSide
  readonly clashes: readonly FileClash[]
  /** All clashes, of which the first are named. */
  readonly total: number
}

/** Input of `merge`. */
export interface MergeInput extends CompareInput {
  /** The tree of `live` is one of ours: changes are made in it. */
  readonly digest: string
  /** Clashes in which the file of staging is taken. */
  readonly take: readonly string[]
  readonly takeAll: boolean
}

const maxClashes = 100
const maxSamples = 40

interface FileChange {
  readonly path: string
  readonly what: PushWhat
  /** Set if the site changed it, too. */
  readonly live: PushWhat | null
  readonly id: string
}

interface Compared {
  readonly plan: ComparedFiles
  readonly changes: readonly FileChange[]
  readonly live: FileList
  readonly stage: FileList
}

/** Compares the files of a site and its staging copy with those when it was made. */
export async function compareFiles(input: CompareInput, onFile: () => void): Promise<ComparedFiles> {
  return (await compare(input, onFile)).plan
}

async function compare({ manifest, stage, live, limits }: CompareInput, onFile: () => void): Promise<Compared> {
  const base = await readManifest(manifest)
  const [ours, theirs] = [listFiles(stage, limits, onFile), listFiles(live, limits, onFile)]
  const paths = [...new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])].toSorted()
  const sides = { staging: emptySide(), live: emptySide() }
  const changes: FileChange[] = []
  const digest = createHash('sha256')
  for (const path of paths) {
    const [before, staged, now] = [base.get(path), ours.get(path), theirs.get(path)]
    const [what, other] = [changeOf(before, staged), changeOf(before, now)]
    if (what !== null) count(sides.staging, path, what)
    if (other !== null) count(sides.live, path, other)
    if (what === null || changeOf(now, staged) === null) continue
    const id = createHash('sha1')
      .update([path, staged?.hash, now?.hash, before?.hash].join('\n'))
      .digest('hex')
      .slice(0, 16)
    digest.update(id)
    changes.push({ path, what, live: other, id })
  }
  const clashes = changes.flatMap(({ id, path, what, live: theirsDid }) =>
    theirsDid === null ? [] : [{ id, path: shown(path), staging: what, live: theirsDid }],
  )
  const plan = {
    digest: digest.digest('hex'),
    ...sides,
    clashes: clashes.slice(0, maxClashes),
    total: clashes.length,
  }
  return { plan, changes, live: theirs, stage: ours }
}

function changeOf(before: KnownFile | undefined, after: KnownFile | undefined): PushWhat | null {
  if (before === undefined) return after === undefined ? null : 'add'
  if (after === undefined) return 'delete'
  return before.hash === after.hash && before.bytes === after.bytes ? null : 'change'
}

type WritableSide = { added: number; changed: number; deleted: number; samples: { label: string; what: PushWhat }[] }

const emptySide = (): WritableSide => ({ added: 0, changed: 0, deleted: 0, samples: [] })

function count(side: WritableSide, path: string, what: PushWhat): void {
  if (what === 'add') side.added += 1
  else if (what === 'change') side.changed += 1
  else side.deleted += 1
  if (side.samples.length < maxSamples) side.samples.push({ label: shown(path), what })
}

/** A path for people. */
const shown = (path: string): string => Buffer.from(path, 'latin1').toString('utf8').slice(0, 300)

/** Brings the changes of staging into a tree of ours. Throws EngineError `conflict` if they are others than planned. */
export async function mergeFiles(input: MergeInput, onFile: () => void): Promise<{ written: number; removed: number }> {
  const { plan, changes, live, stage } = await compare(input, () => undefined)
  if (plan.digest !== input.digest) throw planChanged()
  const taken = new Set(input.take)
  const wanted = changes.filter(({ live: other, id }) => other === null || input.takeAll || taken.has(id))
  assertFits(wanted, { live, stage }, input.limits)
  const root = Buffer.from(`${input.live.root}/`)
  const at = (path: string) => Buffer.concat([root, Buffer.from(path, 'latin1')])
  const removed = wanted.filter(({ what }) => what === 'delete')
  for (const { path } of removed) {
    rmSync(at(path), { force: true })
    removeEmpty(path, at)
  }
  const written = new Set(wanted.filter(({ what }) => what !== 'delete').map(({ path }) => path))
  copyThose(input.stage, written, at, onFile)
  return { written: written.size, removed: removed.length }
}

/** The error for a plan that is not true any more. */
export function planChanged(): EngineError {
  return new EngineError('conflict', msg`Something changed since the plan was made.`, {
    nextAction: msg`Plan the push again, and look at what is different.`,
  })
}

function assertFits(
  wanted: readonly FileChange[],
  { live, stage }: { live: FileList; stage: FileList },
  limits: TreeLimits,
): void {
  const found = { bytes: 0, entries: live.size }
  for (const { bytes } of live.values()) found.bytes += bytes
  for (const { path } of wanted) {
    found.bytes += (stage.get(path)?.bytes ?? 0) - (live.get(path)?.bytes ?? 0)
    found.entries += Number(stage.has(path)) - Number(live.has(path))
  }
  if (found.bytes > limits.bytes || found.entries > limits.entries) throw overQuota(found, limits)
}

/** Folders that have nothing in them any more go with their last file: a file may get their name. */
function removeEmpty(path: string, at: (path: string) => Buffer): void {
  for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) {
    try {
      rmdirSync(at(folder))
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemErrorCode(error))) return
      throw error
    }
  }
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

function copyThose(
  { root }: SiteFilesRoot,
  paths: ReadonlySet<string>,
  at: (path: string) => Buffer,
  onFile: () => void,
): void {
  const top = openFolder(root)
  let copied = 0
  try {
    for (const { folder, name, path, kind } of walkTree(top)) {
      const text = path.toString('latin1')
      if (kind !== 'file' || !paths.has(text)) continue
      const file = folder.openFile(name)
      if (file === null) throw planChanged()
      try {
        makeFolders(parentOf(text), at)
        rmSync(at(text), { force: true })
        copyContent(file, at(text))
      } catch (error) {
        if (['EISDIR', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY', 'ERR_FS_EISDIR'].includes(systemErrorCode(error)))
          throw inTheWay(shown(text))
        throw error
      } finally {
        closeSync(file.fd)
      }
      copied += 1
      onFile()
    }
  } finally {
    top.close()
  }
  if (copied !== paths.size) throw planChanged()
}

function makeFolders(folder: string, at: (path: string) => Buffer): void {
  if (folder === '') return
  mkdirSync(at(folder), { recursive: true, mode: 0o755 })
}

const inTheWay = (path: string) =>
  new EngineError('conflict', msg`The site has a file where staging has a folder, or the other way around: ${path}.`, {
    nextAction: msg`Rename one of them, then plan again.`,
  })
