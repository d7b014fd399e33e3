import { msg } from '#shared/localized-message.ts'
import type { WordPressVersions } from '#shared/responses/wordpress-core.ts'
import { isSupported } from '#shared/rules/supported-wordpress.ts'
import { offeredVersions } from '../../core-change.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { WordPressCore } from '../../wordpress-core.ts'
import { listReleases } from '../core/core-releases.ts'
import { wordpressOrg } from '../core/wordpress-org.ts'
import type { LocalContext } from '../local-context.ts'
import { existingRecord } from '../sites/site-store.ts'
import { managedRecord } from '../wordpress/run-script.ts'
import { inTurn } from '../in-turn.ts'
import { changeSteps } from './change-core.ts'
import { putAway, putBefore } from './core-dumps.ts'
import { readAbout } from './core-script.ts'

/** Changes WordPress itself by a script in the site's own process, where its files can harm nothing but the site. */
export function createLocalCore(context: LocalContext): WordPressCore {
  return {
    versions: (site, signal = AbortSignal.timeout(30_000)) => versions(context, site, signal),
    changeSteps: (site, to) => changeSteps(context, site, to),
    finishChange: (site) => inTurn(site.id, () => finishChange(context, site)),
    undoChange: (site, operation) => inTurn(site.id, () => undoChange(context, site, operation)),
  }
}

async function versions(context: LocalContext, site: SiteRef, signal: AbortSignal): Promise<WordPressVersions> {
  const record = managedRecord(context, site)
  const { version: installed } = await readAbout(context, record, signal)
  const stored = (await context.cores.versions()).versions.filter(isSupported)
  const org = wordpressOrg(context.options.wordpressOrgUrl)
  const releases = context.network.isOffline ? null : await listReleases(org, signal)
  return offeredVersions(installed, stored, releases)
}

async function finishChange(context: LocalContext, site: SiteRef): Promise<void> {
  const { store, options, awake } = context
  const record = existingRecord(store, site)
  if (record.core === undefined) return
  await store.change(record.id, (now) => (now.core ? { ...now, core: { ...now.core, finished: true } } : now))
  // The site has its new version, whatever becomes of what was kept: the next change tidies up.
  await putAway(context, record, 'finish').catch((error: unknown) =>
    options.log.warn('What a change of WordPress replaced could not be put away', { site: record.id, error }),
  )
  await store.change(record.id, ({ core: done, ...now }) => ({ ...now, ...(done ? { settled: done.operation } : {}) }))
  context.storage.invalidate(record.id)
  awake.running(record.id)?.lowerPriority()
}

async function undoChange(context: LocalContext, site: SiteRef, operation: string): Promise<'undone' | 'finished'> {
  const { store, awake } = context
  const record = existingRecord(store, site)
  if (record.core === undefined) return record.settled === operation ? 'finished' : 'undone'
  if (record.core.finished) {
    await finishChange(context, site)
    return 'finished'
  }
  await awake.sleep(record.id)
  try {
    await putBefore(context, record)
  } catch (error) {
    throw new EngineError('unavailable', msg`The WordPress before the change could not be put back.`, {
      nextAction: msg`It is in wp-content/.easydash-previous/core. Make room on the disk, then retry the job.`,
      cause: error,
    })
  }
  const { version } = await readAbout(context, record)
  await store.change(record.id, ({ core: _undone, ...now }) => ({ ...now, wordpressVersion: version }))
  // PHP remembers which files there were.
  await awake.sleep(record.id)
  context.storage.invalidate(record.id)
  return 'undone'
}
