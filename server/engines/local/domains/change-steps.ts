import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type StepContext } from '../../engine.ts'
import type { EngineAlias } from '../../site-domains.ts'
import { thisMachine, type SiteRef } from '../../site-ref.ts'
import { forgetSavedDatabase, restoreDatabase, saveDatabase as keepDatabase } from '../database/saved-database.ts'
import { localSiteUrl } from '../local-base.ts'
import { changeStep, inTurn } from '../in-turn.ts'
import type { LocalContext } from '../local-context.ts'
import { assertOneName, renamedNetwork } from '../network/network-host.ts'
import { requestSite } from '../site-operations.ts'
import { canChange } from '../sites/changes.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import { runScript } from '../wordpress/run-script.ts'
import { assertFree } from './assert-free.ts'
import { replaceAddress } from './replace-address.ts'
import type { DomainMove } from './record-domains.ts'

type Work = (record: SiteRecord & { move: DomainMove }, step: StepContext) => Promise<void>

/** See `SiteDomains.changeSteps`. The record's `move` says what to take back, also after a crash. */
export function changeSteps(
  context: LocalContext,
  site: SiteRef,
  to: string,
  aliases: readonly EngineAlias[],
): EngineStep[] {
  assertOneName(existingRecord(context.store, site), aliases)
  const step = (key: string, label: string, limits: { weight: number; deadlineSeconds: number }, work: Work) =>
    changeStep(context, site.id, { key, label, ...limits }, async (own) =>
      work(await claimMove(context, site, to), own),
    )
  const rename = step('rename', 'Give the site its new name', { weight: 1, deadlineSeconds: 60 }, (record) =>
    giveName(context, record, aliases),
  )
  const check = step('check', 'Check that the site answers', { weight: 2, deadlineSeconds: 120 }, (record, own) =>
    checkName(context, record, own),
  )
  const pause = step('pause', 'Keep visitors out', { weight: 1, deadlineSeconds: 60 }, (record, own) =>
    keepOut(context, record, own),
  )
  if (site.siteType !== 'wp') return [pause, rename, check]
  return [
    pause,
    step('save_database', 'Save the database', { weight: 1, deadlineSeconds: 300 }, (record, own) =>
      saveDatabase(context, record, own),
    ),
    step('replace_urls', 'Replace the address', { weight: 4, deadlineSeconds: 1800 }, async (record, own) => {
      // Again if the change was taken back since: without it, nothing could be.
      await saveDatabase(context, record, own)
      const { from } = record.move
      await replaceAddress(context, record, { from, to, salts: {}, withoutPort: true }, own)
    }),
    rename,
    step('flush_caches', 'Empty the caches', { weight: 1, deadlineSeconds: 120 }, (record, own) =>
      flushCaches(context, record, own),
    ),
    check,
  ]
}

/** The record, whose change of name began now or before a restart. */
async function claimMove(context: LocalContext, site: SiteRef, to: string): Promise<SiteRecord & { move: DomainMove }> {
  const { store } = context
  const record = existingRecord(store, site)
  assertFree(store, record, [to])
  const changed = await store.change(record.id, (now) => {
    if (now.move?.to === to) return now
    if (!canChange(now))
      throw new EngineError('conflict', msg`The primary domain can only be changed while the site is ready.`, {
        nextAction: msg`Wait until the site is ready.`,
      })
    return { ...now, move: { from: now.domain, to, aliases: now.aliases ?? [] } }
  })
  if (changed?.move === undefined)
    throw new EngineError('not_found', msg`This machine does not have the site.`, {
      nextAction: msg`Refresh the page.`,
    })
  return { ...changed, move: changed.move }
}

/** Requests that began before see the end of their work: the process is stopped once they have. */
async function keepOut({ awake }: LocalContext, record: SiteRecord, step: StepContext): Promise<void> {
  await awake.sleep(record.id)
  step.log('Visitors see a page that says the site is back in a moment')
}

async function saveDatabase(
  context: LocalContext,
  record: SiteRecord & { move: DomainMove },
  step: StepContext,
): Promise<void> {
  if (record.move.saved) return
  await keepDatabase(context, record, step.signal)
  await context.store.change(record.id, (now) =>
    now.move === undefined ? now : { ...now, move: { ...now.move, saved: true } },
  )
  step.log('Saved the database and wp-config.php')
}

/** The next start of the process knows the site by its new name. */
async function giveName(
  { store, awake, options }: LocalContext,
  record: SiteRecord & { move: DomainMove },
  aliases: readonly EngineAlias[],
): Promise<void> {
  await store.change(record.id, ({ aliases: _before, ...now }) => ({
    ...now,
    domain: record.move.to,
    ...renamedNetwork(options, now, record.move.to),
    ...(aliases.length === 0 ? {} : { aliases: aliases.map(({ domain, mode }) => ({ domain, mode })) }),
  }))
  await awake.sleep(record.id)
}

/** Empties what a site keeps of its pages, without its own code if that fails. */
export async function flushCaches(context: LocalContext, record: SiteRecord, step: StepContext): Promise<void> {
  const call = (safe: boolean) => runScript(context, record, { script: 'moved', input: { safe }, signal: step.signal })
  await call(false).catch((error: unknown) => {
    step.signal.throwIfAborted()
    if (!(error instanceof EngineError) || error.code !== 'unavailable') throw error
    step.log(`The site’s own code failed, so it was left out: ${error.message}`)
    return call(true)
  })
}

/** The site must answer under its new name, and not send visitors to another one. */
async function checkName(
  context: LocalContext,
  record: SiteRecord & { move: DomainMove },
  { signal, log }: StepContext,
): Promise<void> {
  const site = { ...record, domain: record.move.to, server: thisMachine }
  const url = localSiteUrl(context.options, site)
  const { status, headers, tookMs } = await requestSite(context, site, '/', { signal })
  if (status >= 500) {
    throw new EngineError('unavailable', msg`The site answered with status ${status} under its new name.`, {
      nextAction: msg`Look at its error log, then try again.`,
    })
  }
  const location = headers['location'] ?? ''
  const target = status >= 300 && status < 400 && URL.canParse(location, url) ? new URL(location, url) : null
  if (target !== null && target.host !== new URL(url).host) {
    throw new EngineError(
      'unavailable',
      msg`Under its new name, the site sends visitors to ${target.host.slice(0, 100)}.`,
      {
        nextAction: msg`Look for a plugin or a line in wp-config.php that sets the address of the site.`,
      },
    )
  }
  log(`The home page answered in ${Math.round(tookMs)} ms`)
}

/** See `SiteDomains.finishChange`. */
export const finishChange = (context: LocalContext, site: SiteRef): Promise<void> =>
  inTurn(site.id, () => finish(context, site))

async function finish(context: LocalContext, site: SiteRef): Promise<void> {
  const { store, options, awake } = context
  const record = existingRecord(store, site)
  if (record.move === undefined) return
  await store.change(record.id, ({ move: _done, ...now }) => now)
  if (!record.move.saved) return
  // The site has its new name, whatever becomes of the copy: it counts toward its quota, and its owners can delete it.
  await forgetSavedDatabase(context, record).catch((error: unknown) =>
    options.log.warn('The saved database of a site could not be removed', { site: record.id, error }),
  )
  awake.running(record.id)?.lowerPriority()
}

/** See `SiteDomains.undoChange`. */
export const undoChange = (context: LocalContext, site: SiteRef): Promise<void> =>
  inTurn(site.id, () => undo(context, site))

async function undo(context: LocalContext, site: SiteRef): Promise<void> {
  const { store, awake, options } = context
  const record = existingRecord(store, site)
  const { move } = record
  if (move === undefined) return
  await awake.sleep(record.id)
  if (move.saved) await restoreDatabase(context, record)
  await store.change(record.id, ({ move: _undone, aliases: _after, ...now }) => ({
    ...now,
    domain: move.from,
    ...renamedNetwork(options, now, move.from),
    ...(move.aliases.length === 0 ? {} : { aliases: [...move.aliases] }),
  }))
  await awake.sleep(record.id)
}
