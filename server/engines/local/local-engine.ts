import { isObject } from '#shared/parse-json.ts'
import { EventEmitter } from 'node:events'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { removeTree } from '#server/platform/trees/remove-tree.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type Engine, type SiteRef } from '../engine.ts'
import { archiveSteps, restoreArchiveSteps } from './sites/archive-steps.ts'
import { createAwakeSites } from './processes/awake-sites.ts'
import { localCapabilities, localPhpVersions } from './capabilities.ts'
import { createCoreSupply } from './core/core-supply.ts'
import type { LocalEngine } from './contract.ts'
import { createSteps } from './sites/create-steps.ts'
import { measureHost } from './host-facts.ts'
import { reachable, startHousekeeping } from './housekeeping.ts'
import { createLoginLinks } from './sites/login-links.ts'
import type { LocalEngineOptions } from './options.ts'
import { createObservation } from './observation.ts'
import { openLocalThumbnails } from './thumbnails/local-thumbnails.ts'
import { createOwnRequests } from './proxy/own-requests.ts'
import { createStorageKeeper } from './quota/keeper.ts'
import { createSiteProxy } from './proxy/proxy.ts'
import { capErrorLog, ensureWorkFolders, lastLogLines } from './sites/site-files.ts'
import { socketFolder } from './processes/socket-folder.ts'
import { openProcessNotes } from './processes/process-notes.ts'
import { chooseSandbox } from './sandbox/sandbox.ts'
import type { SiteProcess } from './processes/site-process-handle.ts'
import type { SiteStart } from './sites/site-start.ts'
import { assertNotArchived, assertSiteRef, type SiteRecord } from './sites/site-record.ts'
import { openSiteOwners } from './sites/site-owners.ts'
import { openSiteStore } from './sites/site-store.ts'
import { createTrees } from './trees/trees.ts'
import { wordpressOrg } from './core/wordpress-org.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'

export type { SiteEvent } from './processes/awake-options.ts'
export type { LocalEngine, LocalSite } from './contract.ts'
export type { LocalEngineOptions } from './options.ts'

/** Default timeout of our own requests. */
const requestTimeoutMs = 60_000
/** Timeout of a screenshot's requests. */
const screenshotTimeoutMs = 20_000
/**
 * Timeout of a site's scheduled events: longer than PHP may take to become free and to run. After it the process is killed.
 */
const cronMs = 120_000
/** Visits to a site within this time are reported once. */
const visitPauseMs = 60_000

/** Opens the local engine: reads its sites from the data folder and starts to download WordPress if none is cached. */
export async function createLocalEngine(options: LocalEngineOptions): Promise<LocalEngine> {
  const { log } = options
  const now = options.clock ?? Date.now
  const notes = await openProcessNotes(join(resolve(options.dataDir), 'local', 'processes'), log)
  const sandbox = options.sandbox ?? (await chooseSandbox())
  const trees = createTrees()
  const store = await openSiteStore(resolve(options.dataDir), log, (paths) => trees.run('remove', { paths }))
  const owners = await openSiteOwners(store, trees, log)
  if (store.leftovers.length > 0)
    trees.run('remove', { paths: store.leftovers }).catch((error: unknown) => {
      log.warn('What is left of removed sites could not be removed; the next start tries again', { error })
    })
  const sockets = await socketFolder(resolve(options.dataDir))
  const thumbnails = await openLocalThumbnails({
    enabled: options.thumbnails?.enabled ?? false,
    browser: options.thumbnails?.browser ?? null,
    cacheDir: options.cacheDir,
    dataDir: resolve(options.dataDir),
    log,
    clock: now,
  })
  const events = new EventEmitter()
  const visits = new Map<string, number>()
  const stopping = new AbortController()
  const cores = createCoreSupply({
    cacheDir: options.cacheDir,
    orgUrl: options.wordpressOrgUrl,
    spareFolder: options.keepSpare === false ? null : join(resolve(options.dataDir), 'local', 'spare'),
    now,
    log,
    stopping: stopping.signal,
  })
  let offline = false

  const siteUrl = (site: Pick<SiteRef, 'domain'>): string =>
    trimEnd(
      (options.sitesUrlPattern ?? `http://{slug}.${options.sitesDomain}:${options.port}`).replace(
        '{slug}',
        site.domain,
      ),
      '/',
    )

  const boot = async (id: string): Promise<Omit<SiteStart, 'notes'>> => {
    const record = store.get(id)
    if (record === undefined || !record.copied)
      throw new EngineError('not_found', msg`This machine does not have the site.`, {
        nextAction: msg`Refresh the page.`,
      })
    const uid = await owners.ownerOf(record)
    const paths = store.paths(id)
    await ensureWorkFolders(paths, uid)
    const socket = join(sockets, `${id}.sock`)
    await rm(socket, { force: true })
    return {
      boot: {
        type: 'boot',
        siteType: record.siteType,
        phpVersion: record.phpVersion,
        url: siteUrl(record),
        uid,
        offline,
        quota: storage.start(record),
      },
      folder: paths.folder,
      socket,
      sandbox,
      nodeArguments: options.nodeArguments ?? [],
    }
  }

  const awake = createAwakeSites({
    awakeMax: Math.max(1, options.awakeMax),
    memoryCapMb: options.memoryCapMb ?? 768,
    requestDeadlineMs: options.requestDeadlineMs ?? 60_000,
    now,
    log,
    notes,
    assertMayRun: (id) => {
      assertNotArchived(store.get(id))
      storage.assertMayRun(id)
    },
    prepare: async (id, signal) => {
      const record = store.get(id)
      if (record?.copied === true) await storage.prepare(record, signal)
    },
    boot,
    endLeftovers: owners.endLeftovers,
    isUrgent: (id) => store.get(id)?.state === 'creating',
    onEvent: (event) => {
      if (event.event === 'wake') storage.woke(event.id)
      events.emit('site', event)
    },
  })
  const storage = createStorageKeeper({
    store,
    trees,
    log,
    now,
    leastFreeBytes: options.leastFreeBytes ?? 512 * 1024 * 1024,
    awake: awake.list,
    sleep: awake.sleep,
    changed: (id, found) => events.emit('storage', id, found),
  })
  const links = createLoginLinks(store, awake, now)
  const proxy = createSiteProxy({
    store,
    awake,
    log,
    userOf: owners.userOf,
    sitesDomain: options.sitesDomain.toLowerCase(),
    visited: (id) => {
      if (now() - (visits.get(id) ?? -Infinity) < visitPauseMs) return
      visits.set(id, now())
      events.emit('visit', id)
    },
    protocol: siteUrl({ domain: 'x' }).startsWith('https:') ? 'https' : 'http',
    login: links.redeem,
  })
  const own = createOwnRequests(proxy.handleOwnRequest)

  const request: Engine['request'] = (site, path, requestOptions = {}) =>
    own.get(new URL(siteUrl(site)).host, path, {
      timeoutMs: requestOptions.timeoutMs ?? requestTimeoutMs,
      ...(requestOptions.signal === undefined ? {} : { signal: requestOptions.signal }),
    })

  const existing = (site: SiteRef): SiteRecord => {
    assertSiteRef(site)
    const record = store.get(site.id)
    if (record === undefined)
      throw new EngineError('not_found', msg`This machine does not have the site.`, {
        nextAction: msg`Refresh the page.`,
      })
    return record
  }

  const cron = async (record: SiteRecord, wake: (id: string) => Promise<SiteProcess>): Promise<number> => {
    if (record.siteType !== 'wp') return 0
    const child = await wake(record.id)
    const { value } = await child.call('cron', {}, AbortSignal.timeout(cronMs))
    const { ran, nextCron } = isObject(value) ? value : {}
    const nextCronAt = typeof nextCron === 'number' ? nextCron * 1000 : null
    await store.change(record.id, (now) => (now.nextCronAt === nextCronAt ? now : { ...now, nextCronAt }))
    return typeof ran === 'number' ? ran : 0
  }

  const observation = createObservation({ store, awake, storage })

  const housekeeping = startHousekeeping({
    store,
    awake,
    log,
    now,
    idleMinutes: options.idleMinutes,
    capLog: (record) => capErrorLog(store.paths(record.id), owners.userOf(record), storage.logLimitOf(record)),
    storage: storage.round,
    cron: (record) => cron(record, awake.wakeUnnoticed),
    probe: () => reachable(wordpressOrg(options.wordpressOrgUrl)),
    setOffline: (value) => {
      if (value === offline) return
      offline = value
      if (!value) cores.online()
      for (const { id } of awake.list()) awake.running(id)?.setOffline(value)
    },
  })
  const dependencies = {
    store,
    awake,
    trees,
    userOf: owners.userOf,
    limitsOf: storage.limitsOf,
    request: (site: SiteRef, path: string, signal: AbortSignal) => request(site, path, { signal }),
  }

  return {
    name: 'local',
    reach: 'machine',
    capabilities: () => ({ ...localCapabilities, thumbnail: thumbnails.capability() }),
    phpVersions: () => localPhpVersions,
    hostFacts: () => measureHost(store.root),
    siteUrl,
    createSteps: (spec) =>
      createSteps(
        {
          ...dependencies,
          phpVersions: localPhpVersions,
          now,
          newUid: owners.newUser,
          cores,
        },
        spec,
      ),
    archiveSteps: (site) => archiveSteps(dependencies, site),
    restoreArchiveSteps: (site) => restoreArchiveSteps(dependencies, site),
    destroy: async (site) => {
      assertSiteRef(site)
      await awake.sleep(site.id)
      await store.remove(site.id)
      await owners.release(site.id)
      await rm(join(sockets, `${site.id}.sock`), { force: true })
      storage.forget(site.id)
      visits.delete(site.id)
    },
    observe: (site, { measure = true } = {}) => observation.of(site, measure),
    request,
    loginLink: async (site, user, ttlSeconds) => {
      const record = existing(site)
      if (record.siteType !== 'wp' || record.state !== 'ready') {
        throw new EngineError('conflict', msg`Only a running WordPress site has a login.`, {
          nextAction: msg`Wait until the site is ready.`,
        })
      }
      return links.create(record, user, ttlSeconds, siteUrl(record))
    },
    thumbnail: async (site, signal, requestedByUser) => {
      const url = new URL(siteUrl(existing(site)))
      return thumbnails.take(
        {
          origin: url.origin,
          read: (path, accept) => own.read(url.host, path, { timeoutMs: screenshotTimeoutMs, accept, signal }),
        },
        signal,
        requestedByUser,
      )
    },
    thumbnails: thumbnails.state,
    logs: async (site, lines) => {
      const record = existing(site)
      return lastLogLines(store.paths(record.id), owners.userOf(record), lines)
    },
    runCron: (site) => cron(existing(site), awake.wake),
    setPhpVersion: async (site, version) => {
      const record = existing(site)
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
    },
    ownsHost: proxy.ownsHost,
    handleRequest: proxy.handleRequest,
    listSites: () =>
      store.all().map((record) => ({
        id: record.id,
        domain: record.domain,
        state: observation.stateOf(record),
        pid: awake.running(record.id)?.pid ?? null,
      })),
    prepareCore: async (context) => ({ version: (await cores.prepare(context)).version }),
    coreVersions: cores.versions,
    processes: () => awake.list(),
    on: (event, listener) => {
      events.on(event, listener)
      return () => {
        events.off(event, listener)
      }
    },
    onVisit: (listener) => {
      events.on('visit', listener)
      return () => {
        events.off('visit', listener)
      }
    },
    setQuota: storage.setQuota,
    onStorage: (listener) => {
      events.on('storage', listener)
      return () => {
        events.off('storage', listener)
      }
    },
    round: () => housekeeping.round(),
    sleepAll: async () => {
      await Promise.all(awake.list().map(({ id }) => awake.sleep(id)))
    },
    stop: async () => {
      stopping.abort(
        new EngineError('unavailable', msg`The engine is stopping.`, { nextAction: msg`Start Easydash again.` }),
      )
      await thumbnails.stop()
      await awake.stopAll()
      await housekeeping.stop()
      await cores.stop()
      await trees.stop()
      await removeTree(sockets)
    },
  }
}
