import type { SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import type { EeMark } from './inventory.ts'
import { change, outputOf } from './remote.ts'

/** Notes the state of a site on its server. A site that was found there gets its first note with that. */
export async function writeMark(
  context: EeContext,
  { server, domain, id }: SiteRef,
  state: EeMark,
  signal?: AbortSignal,
): Promise<void> {
  outputOf(await change(context, server, { script: 'mark', args: [domain, id, state], signal }))
}
