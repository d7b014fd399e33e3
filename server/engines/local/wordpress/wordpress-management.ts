import { msg } from '#shared/localized-message.ts'
import {
  readPlugins,
  wordpressFacts,
  wordpressUsers,
  type WordPressFacts,
  type WordPressPlugin,
  type WordPressUsers,
} from '#shared/responses/wordpress.ts'
import type { WordPressChange } from '#shared/rules/wordpress-changes.ts'
import { EngineError } from '../../engine.ts'
import type { WordPressChangeResult, WordPressManagement } from '../../wordpress.ts'
import { withoutUse } from '../processes/awake-sites.ts'
import { runDueEvents } from '../sites/run-due-events.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { withKeptDatabase } from '../wordpress-core/core-script.ts'
import { deleteKept, finishDeletion, undoDeletion, type DeletionContext } from './deletions.ts'
import { managedRecord, runScript, unreadable, type ScriptContext } from './run-script.ts'
import { loginAs, type LoginAsContext } from './login-as.ts'
import { verifyCore, type ChecksumContext } from './verify-core.ts'

/** Longest text of why WordPress does not load. */
const maxReasonLength = 300
/** Timeout of a deletion that its caller does not limit. */
const deletionMs = 240_000

/** Manages WordPress by scripts in the site's own process, where its code can harm nothing but the site. */
export function createWordPressManagement(
  context: LoginAsContext & ChecksumContext & DeletionContext,
): WordPressManagement {
  return {
    inspect: async (site, signal) => inspect(context, managedRecord(context, site), signal),
    plugins: async (site, signal) => listPlugins(context, managedRecord(context, site), signal),
    users: async (site, query) => listUsers(context, managedRecord(context, site), query),
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
    verifyChecksums: async (site, signal) =>
      verifyCore({ ...context, awake: withoutUse(context.awake) }, managedRecord(context, site), signal),
  }
}

/** Changes of what is active. */
function isSwitch({ kind }: WordPressChange): boolean {
  return kind === 'activate_plugin' || kind === 'deactivate_plugin' || kind === 'activate_theme'
}

function isDeletion({ kind }: WordPressChange): boolean {
  return kind === 'delete_plugin' || kind === 'delete_theme'
}

async function inspect(
  context: ScriptContext,
  record: SiteRecord,
  signal: AbortSignal | undefined,
): Promise<WordPressFacts> {
  const read = async (safe: boolean, broken: string | null) => {
    const facts = factsOf(await runScript(context, record, { script: 'inspect', input: { safe }, signal }), broken)
    return { ...facts, previous: facts.previous && (await withKeptDatabase(context, record, facts.previous)) }
  }
  try {
    return await read(false, null)
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof EngineError) || error.code !== 'unavailable') throw error
    return read(true, error.message.slice(0, maxReasonLength))
  }
}

/** A drop-in can break this, too; `inspect` then finds a way around it. */
async function listPlugins(
  context: ScriptContext,
  record: SiteRecord,
  signal: AbortSignal | undefined,
): Promise<WordPressPlugin[]> {
  try {
    const { data } = readPlugins.safeParse(await runScript(context, record, { script: 'plugins', input: {}, signal }))
    if (!data) throw unreadable()
    return data.plugins
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof EngineError) || error.code !== 'unavailable') throw error
    return (await inspect(context, record, signal)).plugins
  }
}

async function listUsers(
  context: ScriptContext,
  record: SiteRecord,
  query: { readonly search: string; readonly page: number },
): Promise<WordPressUsers> {
  const { data } = wordpressUsers.safeParse(await runScript(context, record, { script: 'people', input: { ...query } }))
  if (!data) throw unreadable()
  return data
}

function factsOf(value: Readonly<Record<string, unknown>>, broken: string | null): WordPressFacts {
  const { data } = wordpressFacts.safeParse({ ...value, broken })
  if (!data) throw unreadable()
  return data
}

type ScriptInput = {
  readonly change:
    | WordPressChange
    | { readonly kind: 'set_password'; readonly login: string }
    | { readonly kind: 'undo'; readonly operation: string }
  /** Operation for which what is active before is kept. */
  readonly operation?: string | null
  /** What is deleted is moved to where `deleted.php` finds it. */
  readonly keep?: boolean
  readonly safe: boolean
  readonly password?: string
}

async function makeChange(
  context: ScriptContext,
  record: SiteRecord,
  input: ScriptInput,
  signal?: AbortSignal,
): Promise<WordPressChangeResult> {
  const result = await runScript(context, record, { script: 'change', input, signal })
  if (result['refused'] !== undefined) throw refusal(result)
  const { ran } = result
  return { ran: typeof ran === 'number' && Number.isSafeInteger(ran) ? ran : null }
}

function refusal({ refused, why }: Readonly<Record<string, unknown>>): EngineError {
  if (refused === 'missing') {
    return new EngineError('not_found', msg`It does not exist on this site any more.`, {
      nextAction: msg`Refresh the list.`,
    })
  }
  if (refused === 'active') {
    return new EngineError('conflict', msg`What is active can’t be deleted.`, { nextAction: msg`Deactivate it first.` })
  }
  if (refused === 'last_administrator') {
    return new EngineError('conflict', msg`The site would have no administrator left.`, {
      nextAction: msg`Make another user an administrator first.`,
    })
  }
  if (refused === 'no_network' || refused === 'main_site' || refused === 'taken') return networkRefusal(refused)
  if (refused === 'not_multisite') {
    return new EngineError('unsupported', msg`The site is not a network.`, {
      nextAction: msg`Turn on multisite first.`,
    })
  }
  const reason = typeof why === 'string' ? why.slice(0, maxReasonLength) : ''
  if (refused === 'invalid' && reason !== '') {
    return new EngineError('invalid', msg`WordPress refused it: ${reason}`, { nextAction: msg`Change what it names.` })
  }
  return new EngineError('unavailable', msg`WordPress could not do it.`, {
    nextAction: msg`Look at the error log of the site.`,
  })
}

function networkRefusal(refused: 'no_network' | 'main_site' | 'taken'): EngineError {
  if (refused === 'taken') {
    return new EngineError('conflict', msg`The path is taken by a site, a page or a folder, or WordPress keeps it.`, {
      nextAction: msg`Choose another path.`,
    })
  }
  if (refused === 'main_site') {
    return new EngineError('conflict', msg`The first site of a network can’t be deleted.`, {
      nextAction: msg`Delete another one.`,
    })
  }
  return new EngineError('unsupported', msg`The site is no network in subdirectories.`, {
    nextAction: msg`Turn on multisite first.`,
  })
}
