import { closeSync, constants, openSync } from 'node:fs'
import { runFileTask, type FileOutcome, type FileTask } from '#server/platform/tree-files/file-tasks.ts'
import type { OnProgress } from '#server/platform/tree-files/progress.ts'
import { assertExisting, zipFiles } from '#server/platform/tree-files/zip-files.ts'
import type { FileComparison } from '#shared/responses/file-comparison.ts'
import { asSite } from './as-site.ts'
import type { OriginalInput } from './compare-file.ts'
import type { SiteFolders } from './site-folders.ts'
import type { FilesInput } from './tasks.ts'

/** Runs an operation of the file manager as the site's user, who could do all of it anyway. */
export async function runFilesTask(input: FilesInput, onProgress: OnProgress): Promise<FileOutcome> {
  const source = input.source === null ? null : openSync(input.source, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return await asSite(input, (tree) => {
      const { task, room } = input
      return runFileTask(tree, source === null ? task : withSource(task, source), room, onProgress)
    })
  } finally {
    if (source !== null) closeSync(source)
  }
}

function withSource(task: FileTask, source: number): FileTask {
  if (task.task === 'put') return { ...task, input: { ...task.input, source } }
  return task.task === 'unzip' ? { ...task, input: { ...task.input, source } } : task
}

/** Writes a ZIP archive of files to the standard output. */
export async function runZipTask(input: SiteFolders & { paths: readonly string[] }): Promise<void> {
  await asSite(input, async ({ root }) => {
    assertExisting(root, input.paths)
    for await (const chunk of zipFiles(root, input.paths))
      await new Promise<void>((resolve, reject) => {
        process.stdout.write(chunk, (error) => (error ? reject(error) : resolve()))
      })
  })
}

/** Compares a file with its original; null if neither exists. What it needs is loaded and read before the process becomes the site's user. */
export async function runCompareTask(input: SiteFolders & OriginalInput): Promise<Omit<FileComparison, 'path'> | null> {
  const { compareFile, readOriginal } = await import('./compare-file.ts')
  const original = await readOriginal(input.original)
  return asSite(input, async ({ root }) => compareFile(root, input.path, original))
}
