import { labelMessage, msg } from '#shared/localized-message.ts'
import {
  EngineError,
  type Engine,
  type EngineStep,
  type SiteRequestOptions,
  type SiteSpec,
  type SiteThumbnail,
  type SyncedUsers,
  type WordPressPerson,
  type WordPressUserLists,
} from '../engine.ts'
import type { HostedSite } from '../site-host.ts'
import type { SiteRef } from '../site-ref.ts'
import type { SiteRestart } from '../site-restart.ts'
import { localPhpVersions, noContainers } from './capabilities.ts'
import { localSiteUrl } from './local-base.ts'
import type { LocalContext } from './local-context.ts'
import { archiveSteps, restoreArchiveSteps, type ArchiveDependencies } from './sites/archive-steps.ts'
import { createSteps } from './sites/create-steps.ts'
import { runDueEvents } from './sites/run-due-events.ts'
import { existingRecord } from './sites/site-store.ts'

/** Default timeout of our own requests. */
export const requestTimeoutMs: number = 60_000
/** Timeout of a screenshot's requests. */
const screenshotTimeoutMs = 20_000

/** The steps of `Engine.createSteps`. */
export function localCreateSteps(context: LocalContext, spec: SiteSpec): EngineStep[] {
  const { now, owners, cores } = context
  return createSteps(
    { ...stepDependencies(context), phpVersions: localPhpVersions, now, newUid: owners.newUser, cores },
    spec,
  )
}

/** The steps of `Engine.archiveSteps`. */
export function localArchiveSteps(context: LocalContext, site: SiteRef): EngineStep[] {
  return archiveSteps(stepDependencies(context), site)
}

/** The steps of `Engine.restoreArchiveSteps`. */
export function localRestoreSteps(context: LocalContext, site: SiteRef): EngineStep[] {
  return restoreArchiveSteps(stepDependencies(context), site)
}

function stepDependencies(context: LocalContext): ArchiveDependencies & Pick<LocalContext, 'mysql' | 'options'> {
  const { store, awake, trees, owners, storage, mysql, options } = context
  return {
    options,
    store,
    awake,
    trees,
    mysql,
    userOf: owners.userOf,
    limitsOf: storage.limitsOf,
    onFilesReplaced: storage.invalidate,
    request: (site, path, signal) => requestSite(context, site, path, { signal }),
  }
}

/** Sends a request to the site as a visitor would. */
export function requestSite(
  { options, ownRequests }: LocalContext,
  site: SiteRef,
  path: string,
  requestOptions: SiteRequestOptions = {},
): ReturnType<Engine['request']> {
  return ownRequests.get(new URL(localSiteUrl(options, site)).host, path, {
    timeoutMs: requestOptions.timeoutMs ?? requestTimeoutMs,
    ...(requestOptions.signal === undefined ? {} : { signal: requestOptions.signal }),
    ...(requestOptions.countsAsUse === undefined ? {} : { countsAsUse: requestOptions.countsAsUse }),
  })
}

/** A link that signs a person in to a running WordPress site; throws EngineError `conflict` for any other. */
export async function createLoginLink(
  { options, store, links }: LocalContext,
  site: SiteRef,
  person: WordPressPerson,
  ttlSeconds: number,
  to?: 'network',
): Promise<string> {
  const record = existingRecord(store, site)
  if (record.siteType !== 'wp' || record.state !== 'ready') {
    throw new EngineError('conflict', msg`Only a running WordPress site has a login.`, {
      nextAction: msg`Wait until the site is ready.`,
    })
  }
  const isNetwork = to !== undefined && record.network !== undefined
  const siteUrl = localSiteUrl(options, record)
  return links.create(record, person, ttlSeconds, { siteUrl, ...(isNetwork ? { to } : {}) })
}

/** See `Engine.syncUsers`; throws EngineError `conflict` while the site is not ready. */
export async function syncUsers(
  { store, links }: LocalContext,
  site: SiteRef,
  lists: WordPressUserLists,
): Promise<SyncedUsers> {
  const record = existingRecord(store, site)
  if (record.siteType !== 'wp') return { removed: 0, gone: [...lists.pause, ...lists.remove] }
  if (record.state !== 'ready') {
    throw new EngineError('conflict', msg`The WordPress users of a site can only be changed while it is ready.`, {
      nextAction: msg`Wait until the site is ready.`,
    })
  }
  return links.syncUsers(record, lists)
}

/** Takes a screenshot of the homepage, whose requests go through the engine's own proxy. */
export async function takeThumbnail(
  { options, store, thumbnails, ownRequests }: LocalContext,
  site: SiteRef,
  signal: AbortSignal,
  requestedByUser: boolean | undefined,
): Promise<SiteThumbnail> {
  const url = new URL(localSiteUrl(options, existingRecord(store, site)))
  return thumbnails.take(
    {
      origin: url.origin,
      read: (path, accept) => ownRequests.read(url.host, path, { timeoutMs: screenshotTimeoutMs, accept, signal }),
    },
    signal,
    requestedByUser,
  )
}

/** Runs the site's due scheduled events; returns how many ran. */
export async function runCron({ store, awake }: LocalContext, site: SiteRef): Promise<number> {
  return runDueEvents(store, existingRecord(store, site), awake.wake)
}

/** Changes the PHP version and restarts the site; a site that doesn't start with it keeps the previous one. */
export async function changePhpVersion({ store, awake }: LocalContext, site: SiteRef, version: string): Promise<void> {
  const record = existingRecord(store, site)
  if (!localPhpVersions.includes(version)) {
    throw new EngineError('invalid', msg`PHP ${version} is not available here.`, {
      nextAction: msg`Choose one of ${localPhpVersions}.`,
    })
  }
  if (record.phpVersion === version || record.siteType === 'html') return
  // Saved before the stop: a visitor who wakes the site in between must get the new version, too.
  await store.change(record.id, (now) => ({ ...now, phpVersion: version }))
  await awake.sleep(record.id)
  try {
    await awake.wake(record.id)
  } catch (error) {
    await store.change(record.id, (now) => ({ ...now, phpVersion: record.phpVersion }))
    await awake.sleep(record.id)
    throw error
  }
}

/** Ends the process of a site, and starts it again. Throws EngineError `conflict` for a site that does not run. */
export async function restartSite(
  { store, awake }: LocalContext,
  site: SiteRef,
  { kind }: Pick<SiteRestart, 'kind'>,
): Promise<void> {
  const record = existingRecord(store, site)
  if (kind !== 'restart')
    throw new EngineError('unsupported', labelMessage(noContainers), {
      nextAction: msg`Restart the site instead.`,
    })
  if (record.state !== 'ready')
    throw new EngineError('conflict', msg`The site does not run at the moment.`, {
      nextAction: msg`Resume the site first.`,
    })
  await awake.sleep(record.id)
  await awake.wake(record.id)
}

/** The current state of all sites. */
export function listSites({ store, observation, awake }: LocalContext): HostedSite[] {
  return store
    .all()
    .filter(({ openUntil }) => openUntil === undefined)
    .map((record) => ({
      id: record.id,
      domain: record.domain,
      state: observation.stateOf(record),
      pid: awake.running(record.id)?.pid ?? null,
    }))
}
