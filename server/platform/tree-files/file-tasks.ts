import { isOwnFile } from '#shared/rules/site-files.ts'
import { msg } from '#shared/localized-message.ts'
import { copyFiles } from './copy-files.ts'
import { countRoom, type Room } from './file-room.ts'
import { finishUnpack, undoUnpack } from './kept-unpack.ts'
import { listFolder, type ListedFolder } from './list-folder.ts'
import { makeFolder, moveFiles, type Move } from './move-files.ts'
import { putFile } from './put-file.ts'
import type { OnProgress } from './progress.ts'
import { FileRefusal } from './refusal.ts'
import { readText, writeText, type ReadText } from './text-file.ts'
import { emptyTrash, listTrash, removeFiles, restoreFiles, type TrashItem } from './trash.ts'
import { unzipFiles } from './unzip-files.ts'
import type { SiteTree } from './work-folder.ts'
import { undoZip, zipInto } from './zip-into.ts'

/** Operations on the files of a site by name, with their input and result. Inputs travel to another process. */
export interface FileTasks {
  list: { input: { folder: string; start: number }; result: ListedFolder }
  read: { input: { path: string }; result: ReadText }
  write: { input: { path: string; content: string; version: string | null }; result: { version: string } }
  makeFolder: { input: { path: string }; result: null }
  move: { input: { moves: readonly Move[] }; result: null }
  copy: { input: { from: string; to: string }; result: null }
  remove: { input: { paths: readonly string[]; now: number }; result: { id: string } }
  trash: { input: Record<never, never>; result: TrashItem[] }
  restore: { input: { id: string }; result: { paths: string[] } }
  emptyTrash: { input: { before: number }; result: null }
  /** `source`: an open file. */
  put: {
    input: { path: string; source: number; replace: boolean; now: number }
    result: { trash: string | null }
  }
  /** `source`: an open archive outside the site. `ownFiles`: those of Easydash in a WordPress site are not overwritten.
   * `keep`: the operation for which what is replaced is kept. */
  unzip: {
    input: { path: string; source?: number; into: string; replace: boolean; ownFiles: boolean; keep: string | null }
    result: { files: number }
  }
  /** `operation`: repeated, it finds its own archive. */
  zip: { input: { paths: readonly string[]; to: string; operation: string | null }; result: { bytes: number } }
  undoZip: { input: { operation: string; to: string }; result: { left: boolean } }
  undoUnzip: { input: { operation: string }; result: { left: string[]; kept: boolean } }
  finishUnzip: { input: { operation: string }; result: null }
}

/** A task with its input. */
export type FileTask = { [T in keyof FileTasks]: { task: T; input: FileTasks[T]['input'] } }[keyof FileTasks]

/** The result of a task, and what it added to the disk. */
export interface FileOutcome {
  readonly value: unknown
  readonly added: { readonly bytes: number; readonly entries: number }
}

/** Runs one task; archives tell how far they are. Throws FileRefusal, or system errors that no refusal explains. */
export async function runFileTask(
  tree: SiteTree,
  task: FileTask,
  room: Room,
  onProgress: OnProgress = () => undefined,
): Promise<FileOutcome> {
  const counter = countRoom(room)
  const value = await perform(tree, task, counter, onProgress)
  return { value, added: counter.added }
}

async function perform(
  tree: SiteTree,
  { task, input }: FileTask,
  counter: ReturnType<typeof countRoom>,
  onProgress: OnProgress,
): Promise<unknown> {
  switch (task) {
    case 'list':
      return listFolder(tree.root, input.folder, input.start)
    case 'read':
      return readText(tree.root, input.path)
    case 'write':
      return writeText(tree, input, counter)
    case 'makeFolder':
      counter.add(0)
      makeFolder(tree.root, input.path)
      return null
    case 'move':
      moveFiles(tree.root, input.moves)
      return null
    case 'copy':
      await copyFiles(tree, input, counter)
      return null
    case 'remove':
      return removeFiles(tree, input.paths, input.now)
    case 'trash':
      return listTrash(tree.trash)
    case 'restore':
      return restoreFiles(tree, input.id)
    case 'emptyTrash':
      await emptyTrash(tree.trash, input.before)
      return null
    case 'put':
      return putFile(tree, input, counter, input.now)
    case 'zip':
      return zipInto(tree, { ...input, onProgress }, counter)
    case 'undoZip':
      return undoZip(tree, input.operation, input.to)
    case 'undoUnzip':
      return undoUnpack(tree, input.operation)
    case 'finishUnzip':
      await finishUnpack(tree, input.operation)
      return null
    case 'unzip':
      return unzipFiles(
        tree,
        { ...input, onProgress, assertAllowed: input.ownFiles ? assertNotOwn : () => undefined },
        counter,
      )
  }
}

/** Throws for a file that Easydash keeps in a WordPress site. */
function assertNotOwn(path: string): void {
  if (isOwnFile(path)) throw ownFile(path)
}

/** Refusal of a change of such a file. */
export function ownFile(path: string): FileRefusal {
  return new FileRefusal(
    'invalid',
    msg`${path} belongs to the database of the site, which a change of its files would destroy.`,
    msg`Change the database in WordPress, or restore an archive.`,
  )
}
