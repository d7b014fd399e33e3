import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { changedContent, contentCounts, sinceInput } from '../../seen-pages.ts'
import type { SiteChanges } from '../../site-backups.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import { withoutOfWordPress } from '../portable/export-steps.ts'
import type { SiteRecord } from '../sites/site-record.ts'
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
    isWordPress ? contentSince(context, record, since, signal) : null,
  ])
  return { content, files }
}

/** Null if not even WordPress without plugins runs: a restore may be wanted because of that. */
async function contentSince(
  context: LocalContext,
  record: SiteRecord,
  since: number,
  signal: AbortSignal,
): Promise<SiteChanges['content']> {
  try {
    const facts = await runScript(context, record, {
      script: 'inspect',
      input: { safe: true, since: sinceInput(since) },
      signal,
    })
    return { counts: contentCounts(facts), changed: changedContent(facts) }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof EngineError) || error.code !== 'unavailable') throw error
    return null
  }
}
