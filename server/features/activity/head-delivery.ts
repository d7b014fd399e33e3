import { safeFetch } from '#server/platform/network/fetch.ts'
import { recordDelivered, readUndelivered } from './delivered.ts'
import type { HeadExportContext } from './head-export-context.ts'
import { textOf, type HeadLine } from './head-lines.ts'

/** Maximum number of lines queued for an unreachable service. A later line also proves the earlier ones. */
const maxWaiting = 10_000

/** Reads the lines that earlier processes could not deliver, once and only if there is a service. */
export async function loadWaiting(context: HeadExportContext): Promise<void> {
  if (context.deps.url !== null) context.waiting ??= await readUndelivered(context.path, maxWaiting)
}

/** Adds new lines to those that wait for the service. */
export function addWaiting(context: HeadExportContext, lines: readonly HeadLine[]): void {
  if (context.waiting !== null) context.waiting = [...context.waiting, ...lines].slice(-maxWaiting)
}

/** Sends the waiting lines to the operator's service; if it cannot be reached, they are sent later. */
export async function deliverLines(context: HeadExportContext): Promise<void> {
  const { deps, path } = context
  const sent = context.waiting ?? []
  const last = sent.at(-1)
  if (deps.url === null || last === undefined) return
  try {
    const { status } = await safeFetch(deps.url, {
      profile: 'operator',
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${sent.map(textOf).join('\n')}\n`,
    })
    if (status < 200 || status > 299) throw new Error(`The service answered ${status}.`)
    await recordDelivered(path, last)
    context.waiting = []
  } catch (error) {
    deps.log.warn('The heads of the activity log could not be sent to EASYDASH_AUDIT_HEADS_URL; they are sent later', {
      error,
      lines: sent.length,
    })
  }
}
