import type { JobDefinition } from '#server/contracts/job.ts'
import type { Log } from '#server/platform/log/log.ts'

/** Starts the jobs that are due for a document as soon as none holds it. Errors are logged: what is due is tried again. */
export async function startFirst(
  definitions: ReadonlyMap<string, JobDefinition>,
  log: Log,
  reference: { readonly doctype: string; readonly name: string },
): Promise<void> {
  for (const { type, comesFirst } of definitions.values()) {
    try {
      await comesFirst?.(reference)
    } catch (error) {
      log.warn('A job that comes first could not be started', { type, reference: reference.name, error })
    }
  }
}
