import type { Controller } from '#server/contracts/controller.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { Method } from '#server/contracts/method.ts'
import type { JobDefinition } from '#server/contracts/job.ts'
import type { Metric } from '#server/contracts/metric.ts'
import type { ScheduledWork, Sweep } from '#server/contracts/schedule.ts'
import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { hasFacets, isEngineWith, type WithFacets } from '#server/engines/facets.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { engineHostOf } from '#shared/rules/engines.ts'
import { siteCheckSeconds } from '#shared/rules/site-check.ts'
import { downloadFilesMethod } from './files/download.ts'
import { fileActionHandlers } from './files/file-actions.ts'
import { siteFileUploads } from './files/upload-contents.ts'
import { refreshAddresses } from './addresses.ts'
import { createBulk } from './bulk/bulk.ts'
import { cloneAction } from './copies/clone-action.ts'
import { downloadExportMethod } from './portable/download-export.ts'
import { portableSweep } from './portable/expire-portable.ts'
import { importUploads } from './portable/import-uploads.ts'
import { portableActions } from './portable/portable-actions.ts'
import { consoleActions } from './database/console-actions.ts'
import { databaseActions } from './database/database-actions.ts'
import { databaseMoveActions } from './database/move-actions.ts'
import type { SitesDeps } from './deps.ts'
import { refreshAliases } from './domains/refresh-aliases.ts'
import { domainsActions } from './domains/domains-actions.ts'
import { downloadLogMethod } from './download-log.ts'
import { downloadMailMethod } from './download-mail.ts'
import { watchHealth } from './health.ts'
import { checkSites, type QuietSites } from './monitoring/check-sites.ts'
import { monitoringActions } from './monitoring/monitoring-actions.ts'
import { uptimeSweep } from './monitoring/uptime-sweep.ts'
import { logActions } from './log-actions.ts'
import { siteMethods } from './methods.ts'
import { createPlacedUploads } from './placed-uploads.ts'
import { packageActions } from './wordpress/package-actions.ts'
import { packageUploads } from './wordpress/package-uploads.ts'
import { lookAtRunning } from './wordpress-health/look.ts'
import type { TriedSites } from './wordpress/each-asleep.ts'
import { verifyAsleep, verifyRunning } from './wordpress/verify-checksums.ts'
import { healthActions } from './wordpress-health/health-actions.ts'
import { wordpressUserActions } from './wordpress/user-actions.ts'
import { wordpressActions } from './wordpress/wordpress-actions.ts'
import { coreActions } from './wordpress-core/core-actions.ts'
import { checkWordPressUsers } from './wordpress-users/check-users.ts'
import { wordpressRightsHooks } from './wordpress-users/rights-hooks.ts'
import { networkActions } from './network/network-actions.ts'
import { stagingActions } from './staging/staging-actions.ts'
import { siteTables } from './site-tables.ts'
import { runThumbnailWorker, type ThumbnailWorker } from './thumbnail-worker.ts'
import { thumbnailActions, thumbnailMethod } from './thumbnails.ts'
import { applyQuotas, pushQuotas, watchStorage } from './quotas.ts'
import { expireConsoleRuns } from './database/expire-runs.ts'
import { expireArchives, reconcile } from './reconcile.ts'
import { siteJobs } from './site-jobs.ts'
import { siteActions } from './site-actions.ts'
import { siteHooks } from './site-hooks.ts'
import { previewActions } from './settings/preview-actions.ts'
import { settingsActions } from './settings/settings-actions.ts'
import { languageActions } from './settings/language-actions.ts'
import { wordpressSettingsActions } from './settings/wordpress-actions.ts'
import { shareHooks, sharingActions } from './site-sharing.ts'

/** What the sites feature provides to the composition root. */
export interface Sites extends Feature {
  readonly controllers: readonly Controller[]
  readonly methods: readonly Method[]
  readonly jobs: readonly JobDefinition[]
  readonly schedules: readonly ScheduledWork[]
  readonly sweeps: readonly Sweep[]
  readonly metrics: readonly Metric[]
  on(event: DocumentEvent): void
  /** Makes documents and engines agree, then follows what the engines report. */
  start(): Promise<void>
  /** Takes the requested thumbnails; resolves when none is left or none can be taken now. */
  whenThumbnailsTaken(): Promise<void>
  /** Stops the background work outside of jobs. */
  stop(): Promise<void>
}

/** Websites: creating, opening, archiving and deleting them, and keeping their documents up to date. */
export function createSites(deps: SitesDeps): Sites {
  const [files, packages] = [createPlacedUploads(), createPlacedUploads()]
  const bulk = createBulk(deps)
  const hosts = Object.values(deps.engines)
    .filter((engine) => hasFacets(engine, 'host'))
    .map((engine) => ({
      engine,
      host: engineHostOf(engine.name, deps.machine ?? 'this'),
      quiet: new Map() as QuietSites,
      tried: new Map() as TriedSites,
    }))
  /** By host; empty until the start. */
  const thumbnails = new Map<string, ThumbnailWorker>()
  return {
    tables: siteTables,
    controllers: [
      siteHooks(deps),
      siteActions(deps),
      settingsActions(deps),
      previewActions(deps),
      wordpressSettingsActions(deps),
      languageActions(deps),
      thumbnailActions(deps),
      logActions(deps),
      fileActionHandlers(deps, files),
      sharingActions,
      shareHooks,
      ...[wordpressActions(deps), wordpressUserActions(deps)],
      ...[healthActions(deps), packageActions(deps, packages), coreActions(deps), networkActions(deps)],
      cloneAction(deps),
      portableActions(deps),
      domainsActions(deps),
      stagingActions(deps),
      monitoringActions(deps),
      ...[databaseActions(deps), databaseMoveActions(deps), consoleActions(deps)],
      ...bulk.controllers,
      ...wordpressRightsHooks(deps),
    ],
    methods: [
      ...siteMethods(deps),
      thumbnailMethod(deps),
      downloadLogMethod,
      downloadMailMethod,
      downloadFilesMethod,
      downloadExportMethod,
      ...bulk.methods,
    ],
    uploads: [siteFileUploads(deps.documents, files), packageUploads(deps.documents, packages), importUploads(deps)],
    jobs: siteJobs(deps),
    schedules: [
      ...hosts.flatMap(({ engine, host, quiet, tried }) => [
        { name: `sites.reconcile ${host}`, ...minutely, run: () => reconcile(deps, engine, host) },
        {
          name: `sites.check ${host}`,
          everySeconds: siteCheckSeconds,
          run: () => checkSites(deps, engine, host, quiet),
        },
        ...(isEngineWith(engine, 'checksums')
          ? [
              { name: `sites.checksums ${host}`, everySeconds: 3600, run: () => verifyRunning(deps, engine, host) },
              {
                name: `sites.checksums_asleep ${host}`,
                everySeconds: 60,
                run: () => verifyAsleep(deps, engine, host, tried),
              },
            ]
          : []),
        ...(hasFacets(engine, 'health')
          ? [
              {
                name: `sites.wordpress_health ${host}`,
                everySeconds: 3600,
                run: () => lookAtRunning(deps, engine, host),
              },
            ]
          : []),
        { name: `sites.quotas ${host}`, ...minutely, run: () => applyQuotas(deps, engine, host) },
        // Not awaited: a screenshot takes seconds, which would delay a shutdown.
        { name: `sites.pictures ${host}`, ...minutely, run: async () => void thumbnails.get(host)?.catchUp() },
      ]),
      { name: 'sites.wordpress_users', ...minutely, run: () => checkWordPressUsers(deps) },
      { name: 'sites.expire_archives', everySeconds: 3600, run: () => expireArchives(deps) },
      { name: 'sites.expire_console_runs', everySeconds: 3600, run: () => expireConsoleRuns(deps) },
    ],
    sweeps: [uptimeSweep(deps), ...hosts.map(({ engine, host }) => portableSweep(deps, engine, host)), ...bulk.sweeps],
    metrics: hosts.flatMap(({ engine }) => siteMetrics(engine)),

    on(event) {
      const { doctype, kind } = event
      bulk.on(event)
      if (doctype === 'Site' && kind === 'update') for (const worker of thumbnails.values()) void worker.catchUp()
    },

    async start() {
      for (const { engine, host } of hosts) {
        await refreshAddresses(deps, engine, host)
        await refreshAliases(deps, engine, host)
        watchHealth(deps, engine)
        watchStorage(deps, engine)
        await pushQuotas(deps, engine, host)
        if (hasFacets(engine, 'thumbnail')) thumbnails.set(host, runThumbnailWorker(deps, engine, host))
      }
      bulk.start()
    },

    async whenThumbnailsTaken() {
      await Promise.all([...thumbnails.values()].map((worker) => worker.catchUp()))
    },

    async stop() {
      await bulk.stop()
      await Promise.all([...thumbnails.values()].map((worker) => worker.stop()))
    },
  }
}

const minutely = { everySeconds: 60, atStart: true } as const

/** How many sites an engine of this machine holds, and how many of them run. */
function siteMetrics(engine: WithFacets<'host'>): Metric[] {
  const prefix = `easydash_${engine.name}_sites`
  return [
    {
      kind: 'gauge',
      name: prefix,
      help: 'Sites on this machine.',
      value: async () => (await engine.host.sites(thisMachine)).length,
    },
    {
      kind: 'gauge',
      name: `${prefix}_awake`,
      help: 'Sites with a running process.',
      value: async () => (await engine.host.sites(thisMachine)).filter(({ pid }) => pid !== null).length,
    },
  ]
}
