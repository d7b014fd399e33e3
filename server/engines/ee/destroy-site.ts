import type { SiteRef } from '../site-ref.ts'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { packedArchive } from './backups.ts'
import { creationOf } from './create-steps.ts'
import { assertSite } from './arguments.ts'
import type { EeContext } from './ee-context.ts'
import { mutate, stop } from './remote.ts'
import { stopSwap } from './swaps.ts'
import { readSite } from './site-of.ts'

/** Removes a site with its database, certificates and files. Another site of the same domain stays. */
export async function destroySite(context: EeContext, site: SiteRef, signal?: AbortSignal): Promise<void> {
  const { server, domain, id } = site
  assertSite(site)
  // A creation that nobody waits for any more.
  await stop(context, server, creationOf(id), signal)
  await stopSwap(context, site, signal)
  await rm(dirname(packedArchive(context, site)), { recursive: true, force: true })
  const { row } = await readSite(context, site, signal)
  await mutate(context, server, {
    id: `ee-${id}-delete`,
    script: 'delete',
    args: [domain, id, row === null ? '' : 'own'],
    signal,
    async isDone() {
      const now = await readSite(context, site)
      return now.row === null && now.mark === null
    },
  })
}
