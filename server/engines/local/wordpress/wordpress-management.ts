import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import type { WordPressManagement } from '../../wordpress.ts'
import { verifyCore } from '../../wordpress-checksums.ts'
import { changeWordPress, inspectWordPress, isDeletion, isSwitch } from '../../wordpress-scripts.ts'
import { listPlugins, listUsers, type ChangeInput } from '../../wordpress-scripts.ts'
import { coreSums } from '../core/catalogue.ts'
import type { CatalogueOptions } from '../core/published-originals.ts'
import { withoutUse } from '../processes/awake-sites.ts'
import { runDueEvents } from '../sites/run-due-events.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { withKeptDatabase } from '../wordpress-core/core-script.ts'
import { deleteKept, finishDeletion, undoDeletion, type DeletionContext } from './deletions.ts'
import { managedRecord, scriptsOf, type ScriptContext } from './run-script.ts'
import { loginAs, type LoginAsContext } from './login-as.ts'

/** Timeout of a deletion that its caller does not limit. */
const deletionMs = 240_000

/** Manages WordPress by scripts in the site's own process, where its code can harm nothing but the site. */
export function createWordPressManagement(
  context: LoginAsContext & DeletionContext & { readonly options: CatalogueOptions },
): WordPressManagement {
  return {
    inspect: async (site, signal) => inspect(context, managedRecord(context, site), signal),
    async plugins(site, signal) {
      const record = managedRecord(context, site)
      return listPlugins(scriptsOf(context, record), signal, () => inspect(context, record, signal))
    },
    users: async (site, query) => listUsers(scriptsOf(context, managedRecord(context, site)), query),
    async change(site, change, { safe = false, signal, operationId } = {}) {
      const record = managedRecord(context, site)
      if (isDeletion(change) && operationId !== undefined) {
        const own = signal ?? AbortSignal.timeout(deletionMs)
        const input = { change, safe, keep: true }
        const remove = async (now: SiteRecord) => void (await makeChange(context, now, input, own))
        await deleteKept(context, site, operationId, { signal: own, remove })
        return { ran: null }
      }
      const result = await makeChange(
        context,
        record,
        { change, safe, operation: isSwitch(change) ? (operationId ?? null) : null },
        signal,
      )
      if (change.kind === 'pause_events') await runDueEvents(context.store, record, context.awake.wake)
      return result
    },
    async undo(site, operation) {
      if (managedRecord(context, site).deletion !== undefined) return undoDeletion(context, site, operation)
      await makeChange(context, managedRecord(context, site), { change: { kind: 'undo', operation }, safe: true })
      return undefined
    },
    finish: (site, operation) => finishDeletion(context, site, operation),
    async setPassword(site, login, password) {
      const change = { kind: 'set_password', login } as const
      await makeChange(context, managedRecord(context, site), { change, password, safe: false })
    },
    loginAs: async (site, person, login, ttlSeconds) => loginAs(context, site, { person, login, ttlSeconds }),
    async verifyChecksums(site, signal = AbortSignal.timeout(60_000)) {
      const run = scriptsOf({ ...context, awake: withoutUse(context.awake) }, managedRecord(context, site))
      return verifyCore(run, (version, locale) => coreSums(context.options, { version, locale }, signal), signal)
    },
  }
}

async function inspect(
  context: ScriptContext,
  record: SiteRecord,
  signal: AbortSignal | undefined,
): Promise<WordPressFacts> {
  return inspectWordPress(scriptsOf(context, record), signal, async (facts) => ({
    ...facts,
    previous: facts.previous && (await withKeptDatabase(context, record, facts.previous)),
  }))
}

const makeChange = (context: ScriptContext, record: SiteRecord, input: ChangeInput, signal?: AbortSignal) =>
  changeWordPress(scriptsOf(context, record), input, signal)
