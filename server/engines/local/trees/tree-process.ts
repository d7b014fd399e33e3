import { setPriority } from 'node:os'
import { removeTree } from '#server/platform/trees/remove-tree.ts'
import { isOfFullDisk } from '#server/platform/files/disk-space.ts'
import { FileRefusal, fullDisk } from '#server/platform/tree-files/refusal.ts'
import { EngineError } from '../../engine.ts'
import { listMails } from './list-mails.ts'
import { measureTree } from './measure.ts'
import { chownTree } from './chown-tree.ts'
import { copyTree } from './copy.ts'
import { countFiles } from './count-files.ts'
import { graftPaths } from './graft.ts'
import { packFolders } from './pack.ts'
import { verifyArchive } from './prove.ts'
import { runExportTask, type SeenSite } from './export-task.ts'
import { inspectArchive, runUnpackSiteTask } from './import-task.ts'
import { runCompareTask, runFilesTask, runZipTask } from './files-task.ts'
import { writeManifest } from './file-manifest.ts'
import { compareFiles, mergeFiles } from './merge-files.ts'
import { placeFiles, unplaceFiles } from './place-files.ts'
import { packageSums } from './package-sums.ts'
import type { TreeMessage, TreeRequest } from './tasks.ts'
import { trimFolder } from './trim.ts'
import { unpackFolders } from './unpack.ts'

/*
 * A process for one task on the tree of a site. Sites can have any number of files, so that walking them would block the
 * dashboard and use its memory. It ends with its task, or when its parent is gone or kills it.
 */

const progressEvery = 100
/** Low priority, but tasks that block a site's start run before background tasks. */
const niceness = { waited: 5, regular: 19 }
const never = new AbortController().signal

process.once('disconnect', () => process.exit(0))

function send(message: TreeMessage): Promise<void> {
  return new Promise((resolve) => {
    // The channel closes with the parent: then this process exits by itself.
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
    else resolve()
  })
}

let files = 0
const onFile = (): void => {
  files += 1
  if (files % progressEvery === 0) void send({ type: 'progress', files })
}

async function run(request: TreeRequest, later: Promise<unknown>): Promise<unknown> {
  switch (request.task) {
    case 'measure': {
      const { paths, entries, cpuMs } = request.input
      return paths.map((path) => measureTree(path, { entries, cpuMs }))
    }
    case 'count':
      return countFiles(request.input)
    case 'pack':
      return packFolders(request.input.options, request.input.target, never, onFile)
    case 'prove': {
      const { root, folders, archive } = request.input
      return verifyArchive(root, folders, archive, never, onFile)
    }
    case 'copy':
      return copyTree(request.input, onFile)
    case 'graft':
      return graftPaths(request.input, onFile)
    case 'unpack': {
      const { archive, into, limits } = request.input
      await unpackFolders(archive, into, limits, never, onFile)
      return files
    }
    case 'own':
      for (const path of request.input.paths) chownTree(path, request.input.uid)
      return null
    case 'trim':
      await trimFolder(request.input.path, request.input.limits)
      return null
    case 'mails':
      return listMails(request.input)
    case 'remove':
      for (const path of request.input.paths) await removeTree(path)
      return null
    case 'manifest':
      return writeManifest(request.input, onFile)
    case 'compare':
      return compareFiles(request.input, onFile)
    case 'merge':
      return mergeFiles(request.input, onFile)
    case 'place':
      return placeFiles(request.input)
    case 'unplace':
      return unplaceFiles(request.input)
    case 'files':
      return runFilesTask(request.input, (done) => void send({ type: 'progress', files, done }))
    case 'original':
      return runCompareTask(request.input)
    case 'sums':
      return packageSums(request.input.archive)
    case 'zip':
      await runZipTask(request.input)
      return null
    case 'export':
      return runExportTask(request.input, onFile, later as Promise<SeenSite>)
    case 'inspect':
      return inspectArchive(request.input)
    case 'import':
      return runUnpackSiteTask(request.input, onFile)
  }
}

function failureOf(thrown: unknown): TreeMessage {
  const error = isOfFullDisk(thrown) ? fullDisk() : thrown
  if (error instanceof EngineError) {
    const { code, localized, nextAction, retryable } = error
    return { type: 'refused', code, localized, nextAction, retryable }
  }
  if (error instanceof FileRefusal) {
    const { code, localized, nextAction } = error
    return { type: 'refused', code, localized, nextAction, retryable: false }
  }
  const { message, code, path, syscall }: Partial<NodeJS.ErrnoException> = error instanceof Error ? error : {}
  return {
    type: 'failed',
    message: message ?? String(error),
    ...(code === undefined ? {} : { code }),
    ...(path === undefined ? {} : { path: String(path) }),
    ...(syscall === undefined ? {} : { syscall }),
  }
}

process.once('message', (request: TreeRequest) => {
  setPriority(request.task === 'measure' && !request.input.waited ? niceness.regular : niceness.waited)
  const later = new Promise((resolve) => process.once('message', resolve))
  void run(request, later)
    .then((result): TreeMessage => ({ type: 'done', result }), failureOf)
    .then(send)
    .then(() => process.exit(0))
})
