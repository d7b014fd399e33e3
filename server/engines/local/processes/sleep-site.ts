import { siteStoppedError, type AwakeContext } from './awake-context.ts'

/** Stops the site's process, ends leftover processes, and resets its crashes. Rejects if something is still running then. */
export async function sleepSite(context: AwakeContext, id: string): Promise<void> {
  const { entries, options } = context
  const entry = entries.get(id)
  entries.delete(id)
  if (entry?.restart) clearTimeout(entry.restart)
  entry?.abort.abort(siteStoppedError())
  const process = entry?.process ?? null
  await killLeftoverProcesses(context, id, async () => {
    // It fails because of this abort; the caller of the start gets the error.
    await entry?.starting?.catch(() => undefined)
    if (entry !== undefined) entry.process = null
    await process?.stop()
    return process?.pid ?? null
  })
  if (process !== null) options.onEvent({ id, event: 'sleep', reason: null })
}

/** See `AwakeSites.keepAsleep`. */
export async function keepAsleep(context: AwakeContext, id: string): Promise<() => void> {
  const { pauses } = context
  const pause = pauses.get(id) ?? { holders: 0, end: Promise.withResolvers<void>() }
  pause.holders += 1
  pauses.set(id, pause)
  let released = false
  const release = (): void => {
    if (released) return
    released = true
    pause.holders -= 1
    if (pause.holders > 0) return
    pauses.delete(id)
    pause.end.resolve()
  }
  try {
    await sleepSite(context, id)
    return release
  } catch (error) {
    release()
    throw error
  }
}

/** Puts the least recently used sites to sleep until there is room for `forId`. */
export async function evictIdleSites(context: AwakeContext, forId: string): Promise<void> {
  const { entries, options } = context
  for (;;) {
    const awake = [...entries.values()].filter(
      (entry) => entry.id !== forId && (entry.process !== null || entry.isSlow),
    )
    if (awake.length < options.awakeMax) return
    const [victim] = awake.sort((a, b) => Number(a.holds > 0) - Number(b.holds > 0) || a.lastUsed - b.lastUsed)
    if (victim === undefined) return
    options.log.info('Putting a site to sleep to make room', { site: victim.id })
    await sleepSite(context, victim.id)
  }
}

/**
 * Leftover processes started by a site's code must not outlive its main process: they could change its files at any time.
 * `stop` ends the main process and resolves with its id. The next start waits for all of it.
 */
export function killLeftoverProcesses(
  { cleanups, options }: AwakeContext,
  id: string,
  stop: () => Promise<number | null>,
): Promise<void> {
  const before = cleanups.get(id)?.catch(() => undefined)
  const work = (async () => {
    await before
    await options.killLeftovers(id, await stop())
  })()
  cleanups.set(id, work)
  work.then(
    () => {
      if (cleanups.get(id) === work) cleanups.delete(id)
    },
    (error: unknown) => options.log.error('Processes of a site could not be ended', { site: id, error }),
  )
  return work
}
