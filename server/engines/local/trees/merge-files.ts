import { closeSync, mkdirSync, rmdirSync, rmSync } from 'node:fs'
import type { PushPlan } from '#shared/responses/push-plan.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { openFolder } from '#server/platform/trees/folder.ts'
import { walkTree } from '#server/platform/trees/walk.ts'
import { msg } from '#shared/localized-message.ts'
import { compareFileLists, planChanged, type Change } from '../../compare-sides.ts'
import { EngineError } from '../../engine.ts'
import { copyContent } from './copy.ts'
import { listFiles, readManifest, type FileList, type SiteFilesRoot } from './file-manifest.ts'
import { overQuota, type TreeLimits } from './limits.ts'

/** Input of `compare`. */
export interface CompareInput {
  /** The list of the files of the staging site when it was made. */
  readonly manifest: string
  readonly stage: SiteFilesRoot
  readonly live: SiteFilesRoot
  readonly limits: TreeLimits
}

/** Input of `merge`. */
export interface MergeInput extends CompareInput {
  /** The tree of `live` is one of ours: changes are made in it. */
  readonly digest: string
  /** Clashes in which the file of staging is taken. */
  readonly take: readonly string[]
  readonly takeAll: boolean
}

interface Compared {
  readonly plan: PushPlan['files']
  readonly changes: readonly Change[]
  readonly live: FileList
  readonly stage: FileList
}

/** Compares the files of a site and its staging copy with those when it was made. */
export async function compareFiles(input: CompareInput, onFile: () => void): Promise<PushPlan['files']> {
  return (await compare(input, onFile)).plan
}

async function compare({ manifest, stage, live, limits }: CompareInput, onFile: () => void): Promise<Compared> {
  const base = await readManifest(manifest)
  const [ours, theirs] = [listFiles(stage, limits, onFile), listFiles(live, limits, onFile)]
  return { ...compareFileLists(base, ours, theirs, shown), live: theirs, stage: ours }
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
  for (const { key } of removed) {
    rmSync(at(key), { force: true })
    removeEmpty(key, at)
  }
  const written = new Set(wanted.filter(({ what }) => what !== 'delete').map(({ key }) => key))
  copyThose(input.stage, written, at, onFile)
  return { written: written.size, removed: removed.length }
}

function assertFits(
  wanted: readonly Change[],
  { live, stage }: { live: FileList; stage: FileList },
  limits: TreeLimits,
): void {
  const found = { bytes: 0, entries: live.size }
  for (const { bytes } of live.values()) found.bytes += bytes
  for (const { key } of wanted) {
    found.bytes += (stage.get(key)?.bytes ?? 0) - (live.get(key)?.bytes ?? 0)
    found.entries += Number(stage.has(key)) - Number(live.has(key))
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
