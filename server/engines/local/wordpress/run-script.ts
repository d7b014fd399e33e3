import { isObject } from '#shared/parse-json.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
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
    if (!isObject(value)) throw unreadable()
    if (value['fatal'] !== undefined) throw siteFailed(value)
    return value
  } finally {
    release()
  }
}

/** The error for a result that is not what the script writes: the site can replace the scripts. */
export function unreadable(): EngineError {
  return new EngineError('unavailable', msg`The site gave a response that Easydash can’t read.`, {
    nextAction: msg`Look at the error log of the site, and at its must-use plugins.`,
  })
}

function siteFailed({ fatal, file, line }: Readonly<Record<string, unknown>>): EngineError {
  const [why, where] = [fatal, file].map((text) => (typeof text === 'string' ? text.slice(0, 300) : ''))
  return new EngineError(
    'unavailable',
    msg`The site’s own code failed: ${why ?? ''} (${where ?? ''}, line ${Number(line)})`,
    {
      nextAction: msg`Look at the error log of the site.`,
    },
  )
}
