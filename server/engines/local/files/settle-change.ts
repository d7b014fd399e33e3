import type { FileOutcome, FileTask } from '#server/platform/tree-files/file-tasks.ts'
import type { LocalBase } from '../local-base.ts'
import type { SiteRuntime } from '../site-runtime.ts'
import type { SiteRecord } from '../sites/site-record.ts'

/**
 * Makes the rest of the engine know about a change of files. A running PHP remembers which names exist: it could not create a
 * removed or moved one again. So it is put to sleep after such a change; the next request starts it. After a write it only
 * drops what it compiled from that file.
 */
export async function settleChange(
  { awake, storage }: Pick<LocalBase & SiteRuntime, 'awake' | 'storage'>,
  record: SiteRecord,
  task: FileTask,
  added: FileOutcome['added'],
): Promise<void> {
  const paths = writtenPaths(task)
  const isOutside = task.task === 'emptyTrash' || task.task === 'finishUnzip'
  const isUndo = task.task === 'undoUnzip' || task.task === 'undoZip'
  // What is in the trash counts as before.
  if (isOutside || isUndo) storage.invalidate(record.id)
  else storage.grown(record.id, added)
  if (record.siteType === 'html' || isOutside) return
  const process = awake.running(record.id)
  // Putting it to sleep also ends the pause after a crash: the changed file may be what it needs to start.
  if (paths === null || (process === null && awake.crash(record.id) !== null)) await awake.sleep(record.id)
  else process?.filesChanged({ paths, ...added })
}

/** The files that a task wrote; null if it also took names away, or wrote many. */
function writtenPaths({ task, input }: FileTask): readonly string[] | null {
  if (task === 'write' || task === 'put') return [input.path]
  if (task === 'zip') return [input.to]
  return task === 'makeFolder' ? [] : null
}
