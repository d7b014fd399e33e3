import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import { change, look, outputOf } from './remote.ts'
import { runPhp, type ManagedSite } from './scripts.ts'

/** A large database takes minutes. */
const databaseMs = 240_000

const callOf = ({ site, workdir }: ManagedSite, act: string, operation: string, signal?: AbortSignal) =>
  ({ script: 'deletion', args: [site.domain, workdir, act, operation], signal, deadlineMs: databaseMs }) as const

/**
 * Deletes a plugin or theme so that it can be taken back: what is deleted of its folder is moved away (`local/php/keep-deleted.php`), the
 * database is saved, and visitors are kept out. A file on the server says how far it is, also after a crash.
 */
export async function deleteKept(
  managed: ManagedSite,
  operation: string,
  signal: AbortSignal | undefined,
  remove: () => Promise<void>,
): Promise<void> {
  const { context, site } = managed
  const begun = await change(context, site.server, callOf(managed, 'begin', operation, signal))
  if (begun.code === 5)
    throw new EngineError('conflict', msg`Another deletion is in progress.`, {
      nextAction: msg`Wait until the other job has ended.`,
    })
  if (outputOf(begun).trim() === 'done') return
  await remove()
  outputOf(await change(context, site.server, callOf(managed, 'removed', operation, signal)))
}

/** Takes a deletion back, or ends it for good, and lets visitors in. Returns false if it is not the one going on. */
export async function endDeletion(
  managed: ManagedSite,
  operation: string,
  act: 'restore' | 'forget',
): Promise<boolean> {
  const { context, site } = managed
  const state = outputOf(await look(context, site.server, callOf(managed, 'state', operation))).trim()
  if (state === '') return false
  if (state !== 'begun') {
    const { done } = await runPhp(managed, 'deleted', { act })
    if (done !== true)
      throw new EngineError('unavailable', msg`The deleted files could not be put back.`, {
        nextAction: msg`They are in wp-content/.easydash-previous/deleted. Look at the files of the site, then retry the job.`,
      })
    if (act === 'restore') outputOf(await change(context, site.server, callOf(managed, 'restore', operation)))
  }
  outputOf(await change(context, site.server, callOf(managed, 'end', operation)))
  return true
}
