import { msg } from '#shared/localized-message.ts'
import type { AwakeContext } from './awake-context.ts'
import { residentMb } from './resident-memory.ts'
import type { SiteProcess } from './site-process-handle.ts'

const watchEveryMs = 1_000

/** Kills processes of sites whose PHP runs too long or that use too much memory, until the returned function is called. */
export function watchLimits(context: AwakeContext): () => void {
  const timer = setInterval(() => {
    for (const { id, process } of context.entries.values()) if (process !== null) checkLimits(context, id, process)
  }, watchEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}

function checkLimits({ options }: AwakeContext, id: string, process: SiteProcess): void {
  const { requestDeadlineMs, memoryCapMb, log } = options
  const since = process.oldestRun()
  if (since !== null && performance.now() - since > requestDeadlineMs) {
    process.kill(
      msg`A request ran for more than ${Math.round(requestDeadlineMs / 1000)} seconds, so the site was restarted.`,
    )
    return
  }
  residentMb(process.pid).then(
    (mb) => {
      if (mb !== null && mb > memoryCapMb)
        process.kill(msg`The site used more than ${memoryCapMb} MB of memory, so it was restarted.`)
    },
    (error: unknown) => log.warn('The memory of a site could not be read', { site: id, error }),
  )
}
