import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import { scriptResult, type RunWordPressScript } from '../../wordpress-scripts.ts'
import type { ScriptName } from '../child/messages.ts'
import type { AwakeSites } from '../processes/awake-sites.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord, type SiteStore } from '../sites/site-store.ts'

/** What running a management script needs. */
export interface ScriptContext {
  readonly store: SiteStore
  readonly awake: AwakeSites
}

/** The record of a site whose WordPress can be managed. Throws EngineError `unsupported` or `conflict`. */
export function managedRecord({ store }: ScriptContext, site: SiteRef): SiteRecord {
  const record = existingRecord(store, site)
  if (record.siteType !== 'wp') {
    throw new EngineError('unsupported', msg`Only a WordPress site has this.`, {
      nextAction: msg`Choose a WordPress site.`,
    })
  }
  if (record.state !== 'ready') {
    throw new EngineError('conflict', msg`WordPress can only be managed while the site is ready.`, {
      nextAction: msg`Wait until the site is ready.`,
    })
  }
  return record
}

/** Wakes the site and runs a management script in its process. Throws EngineError `unavailable` if the site's code fails. */
export async function runScript(
  { awake }: ScriptContext,
  record: SiteRecord,
  call: {
    readonly script: ScriptName
    readonly input: Record<string, unknown>
    readonly signal?: AbortSignal | undefined
  },
): Promise<Readonly<Record<string, unknown>>> {
  const release = awake.hold(record.id)
  try {
    const process = await awake.wake(record.id, call.signal)
    const { value } = await process.call(call.script, call.input, call.signal)
    return scriptResult(value)
  } finally {
    release()
  }
}

/** Runs management scripts in the site's process. */
export const scriptsOf =
  (context: ScriptContext, record: SiteRecord): RunWordPressScript =>
  (script, input, signal) =>
    runScript(context, record, { script, input, signal })
