import { contentSince } from '../content-since.ts'
import type { SiteChanges } from '../site-backups.ts'
import type { SiteRef } from '../site-ref.ts'
import { unreadable } from '../wordpress-scripts.ts'
import type { EeContext } from './ee-context.ts'
import { withoutOfWordPress } from './pack-parts.ts'
import { look, outputOf } from './remote.ts'
import { managedAs, runPhp } from './scripts.ts'
import { runningSite } from './swaps.ts'

/** See `SiteRestores.changesSince`. The times of files are those of the server's clock. */
export async function changesSince(
  context: EeContext,
  site: SiteRef,
  since: number,
  signal: AbortSignal,
): Promise<SiteChanges> {
  const { row } = await runningSite(context, site, signal)
  const isWordPress = row.site_type === 'wp'
  const managed = managedAs(context, site, row)
  const args = [site.domain, String(Math.floor(since / 1000)), ...(isWordPress ? withoutOfWordPress : [])]
  const [counted, content] = await Promise.all([
    look(context, site.server, { script: 'count-files', args, signal }),
    isWordPress
      ? contentSince((input) => runPhp(managed, 'inspect', input, signal), since, { onAnyMachine: true, signal })
      : null,
  ])
  const [, count, changed, ended] = /^(\d{1,15}) (\d{1,15}) (\d{1,3})$/m.exec(outputOf(counted)) ?? []
  if (count === undefined) throw unreadable()
  return {
    content,
    files: {
      // Backups have a configuration of their own in place of the one that is left out.
      count: Number(count) + (isWordPress ? 1 : 0),
      changed: Number(changed),
      // 1: some were gone before they were looked at.
      complete: ended === '0' || ended === '1',
    },
  }
}
