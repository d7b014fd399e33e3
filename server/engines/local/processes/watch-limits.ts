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
  const { limits, memoryCapMb, log } = options
  for (const { since, isAdmin, request } of process.overdue() === null ? process.runs() : []) {
    const seconds = isAdmin ? limits.admin : limits.usual
    if (performance.now() - since <= seconds * 1000) continue
    const reason = msg`A request ran for more than ${seconds} seconds, so the site was restarted.`
    process.endOverdue({ request, seconds }, reason)
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
