import { randomBytes } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { JobContext } from '#server/contracts/job.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { createOneByOne } from '#server/platform/one-by-one.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../../deps.ts'
import { fetchArchive } from '../backup-parts.ts'
import { damageAsError } from '../damaged.ts'

/** As long as jobs may fetch one. */
const longestMs = 3_600_000
/** As long as the link to it is valid. */
const keptMs = 10 * 60_000

/** Whole archives of backups that contain only what was new, for those who download them. */
export interface Assemblies {
  /**
   * Opens the whole archive, which is put together once for all who want it, and kept until nobody asked for it for a while; one is put
   * together at a time. The caller closes it. Throws AppError: `invalid` if it is damaged, `unavailable`.
   */
  open(backup: SiteBackup): Promise<FileHandle>
  /** Removes what another process left. */
  clear(): Promise<void>
  /** Ends what is being put together, and removes all. */
  stop(): Promise<void>
}

interface Assembly {
  readonly path: Promise<string>
  removal: unknown
}

/** Nothing is put together yet. */
export function createAssemblies(deps: SitesDeps): Assemblies {
  const { clock = systemClock } = deps
  const folder = join(deps.backupsFolder, 'downloads')
  const stopped = new AbortController()
  const oneByOne = createOneByOne()
  /** By backup. */
  const assemblies = new Map<string, Assembly>()
  const transaction: JobContext['transaction'] = (work) => deps.documents().transaction(systemSession('job'), work)
  const clear = () => rm(folder, { recursive: true, force: true })

  async function putTogether(backup: SiteBackup): Promise<string> {
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(longestMs)])
    // Of its own, as the one before may still be being removed.
    const own = join(folder, `${backup.name}-${randomBytes(5).toString('hex')}`)
    try {
      signal.throwIfAborted()
      return await fetchArchive(deps, backup, { transaction, signal }, own)
    } catch (error) {
      await rm(own, { recursive: true, force: true })
      throw signal.aborted ? interrupted(error) : damageAsError(error)
    }
  }

  function begin(backup: SiteBackup): Assembly {
    const { name } = backup
    const path = oneByOne('', () => putTogether(backup))
    const assembly: Assembly = { path, removal: null }
    assemblies.set(name, assembly)
    path.catch(() => assemblies.delete(name))
    return assembly
  }

  /** Those who read it already go on. */
  function remove(name: string, path: string): void {
    assemblies.delete(name)
    rm(dirname(path), { recursive: true, force: true }).catch((error: unknown) =>
      deps.log.warn('What was put together for a download could not be removed', { backup: name, error }),
    )
  }

  return {
    async open(backup) {
      const { name } = backup
      const assembly = assemblies.get(name) ?? begin(backup)
      const path = await assembly.path
      clock.clearTimeout(assembly.removal)
      assembly.removal = clock.setTimeout(() => remove(name, path), keptMs)
      return open(path)
    },
    clear,
    async stop() {
      stopped.abort()
      const all = [...assemblies.values()]
      await Promise.allSettled(all.map(({ path }) => path))
      for (const { removal } of all) clock.clearTimeout(removal)
      await clear()
    },
  }
}

const interrupted = (cause: unknown) =>
  new AppError(
    'unavailable',
    msg`The archive could not be put together: it took too long, or the dashboard was stopped.`,
    {
      nextAction: msg`Try again later.`,
      cause,
    },
  )
