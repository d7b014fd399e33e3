import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { contentSince } from '../../content-since.ts'
import type { SiteChanges } from '../../site-backups.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import { withoutOfWordPress } from '../portable/export-steps.ts'
import { existingRecord } from '../sites/site-store.ts'
import { runScript } from '../wordpress/run-script.ts'

/** See `SiteRestores.changesSince`. */
export async function changesSince(
  context: LocalContext,
  site: SiteRef,
  since: number,
  signal: AbortSignal,
): Promise<SiteChanges> {
  const { store, trees, storage } = context
  const record = existingRecord(store, site)
  if (record.state !== 'ready')
    throw new EngineError('conflict', msg`The site is not ready at the moment.`, {
      nextAction: msg`Wait until its job has ended.`,
    })
  const isWordPress = record.siteType === 'wp'
  const [files, content] = await Promise.all([
    trees.run(
      'count',
      {
        path: store.paths(record.id).www,
        // Backups have a configuration, too: one of their own.
        without: isWordPress ? withoutOfWordPress.filter((name) => name !== 'wp-config.php') : [],
        since,
        entries: storage.limitsOf(record).entries + 1,
      },
      { signal },
    ),
    isWordPress
      ? contentSince((input) => runScript(context, record, { script: 'inspect', input, signal }), since, {
          onAnyMachine: false,
          signal,
        })
      : null,
  ])
  return { content, files }
}
