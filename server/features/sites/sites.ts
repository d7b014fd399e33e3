import type { Controller } from '#server/contracts/controller.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { Method } from '#server/contracts/method.ts'
import type { JobDefinition } from '#server/contracts/job.ts'
import type { Metric } from '#server/contracts/metric.ts'
import type { ScheduledWork, Sweep, WorkOnHosts } from '#server/contracts/schedule.ts'
import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { hostsWith, ownHosts, type EngineHost } from '#server/engines/hosts.ts'
import type { ServerRef } from '#server/engines/site-ref.ts'
import type { HostedSite } from '#server/engines/site-host.ts'
import { downloadFilesMethod } from './files/download.ts'
import { fileActionHandlers } from './files/file-actions.ts'
import { siteFileUploads } from './files/upload-contents.ts'
import { refreshAddresses } from './addresses.ts'
import { createBulk } from './bulk/bulk.ts'
import { backupControllers } from './backups/backup-actions.ts'
import { scheduleController } from './backups/backup-schedules.ts'
import { previewRetentionMethod } from './backups/preview-retention.ts'
import { backupSweep, bucketSweep } from './backups/backup-sweep.ts'
import { backupThumbnailMethod } from './backups/backup-thumbnail.ts'
import { dueBackupMethod } from './backups/due-backups.ts'
import { removeLocal } from './backups/discard.ts'
import { backupStoresMethod, storeControllers } from './backups/store-controllers.ts'
import { foundSitesController } from './found-sites.ts'
import { eeBackupMethods } from './backups/ee-callbacks.ts'
import { proofDocumentMethod } from './backups/proof-document.ts'
import { downloadBackupMethod } from './backups/download-backup.ts'
import { createAssemblies } from './backups/increments/assemblies.ts'
import { certificateActions } from './certificates/certificate-actions.ts'
import { cloneAction } from './copies/clone-action.ts'
import { downloadExportMethod } from './portable/download-export.ts'
import { importUploads } from './portable/import-uploads.ts'
import { portableActions } from './portable/portable-actions.ts'
import { consoleActions } from './database/console-actions.ts'
import { databaseActions } from './database/database-actions.ts'
import { databaseMoveActions } from './database/move-actions.ts'
import { deploymentActions } from './deployments/deployment-actions.ts'
import { pushRoute } from './deployments/push-webhook.ts'
import type { SitesDeps } from './deps.ts'
import { refreshAliases } from './domains/refresh-aliases.ts'
import { domainsActions } from './domains/domains-actions.ts'
import { downloadLogMethod } from './download-log.ts'
import { downloadMailMethod } from './download-mail.ts'
import { watchHealth } from './health.ts'
import { monitoringActions } from './monitoring/monitoring-actions.ts'
import { uptimeSweep } from './monitoring/uptime-sweep.ts'
import { logActions } from './log-actions.ts'
import { siteMethods } from './methods.ts'
import { checksumMethod } from './wordpress/checksum-method.ts'
import { readLogMethod } from './read-log-method.ts'
import { recentUptimeMethod } from './monitoring/recent-uptime.ts'
import { uptimeMethod } from './monitoring/uptime-method.ts'
import { siteSchedules } from './site-schedules.ts'
import { createPlacedUploads } from './placed-uploads.ts'
import { packageActions } from './wordpress/package-actions.ts'
import { packageUploads } from './wordpress/package-uploads.ts'
import { healthActions } from './wordpress-health/health-actions.ts'
import { cronActions } from './wordpress/cron-actions.ts'
import { wordpressLists } from './wordpress/list-actions.ts'
import { wordpressUserActions } from './wordpress/user-actions.ts'
import { wordpressActions } from './wordpress/wordpress-actions.ts'
import { coreActions } from './wordpress-core/core-actions.ts'
import { wordpressRightsHooks } from './wordpress-users/rights-hooks.ts'
import { networkActions } from './network/network-actions.ts'
import { stagingActions } from './staging/staging-actions.ts'
import { siteTables } from './site-tables.ts'
import { runThumbnailWorker, type ThumbnailWorker } from './thumbnail-worker.ts'
import { thumbnailActions, thumbnailMethod } from './thumbnails.ts'
import { pushQuotas, watchStorage } from './quotas.ts'
import { siteJobs } from './site-jobs.ts'
import { siteActions } from './site-actions.ts'
import { serviceActions } from './services/service-actions.ts'
import { siteHooks } from './site-hooks.ts'
import { previewActions } from './settings/preview-actions.ts'
import { settingsActions } from './settings/settings-actions.ts'
import { languageActions } from './settings/language-actions.ts'
import { wordpressSettingsActions } from './settings/wordpress-actions.ts'
import { shareHooks, sharingActions, wpcSharingActions } from './site-sharing.ts'

/** What the sites feature provides to the composition root. */
export interface Sites extends Feature {
  readonly controllers: readonly Controller[]
  readonly methods: readonly Method[]
  readonly jobs: readonly JobDefinition[]
  readonly schedules: readonly (ScheduledWork | WorkOnHosts)[]
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
  const assemblies = createAssemblies(deps)
  const own = ownHosts(deps.engines, deps.machine)
  /** By host; empty until the start. */
  const thumbnails = new Map<string, ThumbnailWorker>()
  const servers = new Map<string, ServerRef>()
  /** The worker of a machine, which works on its server as it is known now. */
  const thumbnailsOf = ({ engine, name, server }: EngineHost<'thumbnail'>): ThumbnailWorker => {
    servers.set(name, server)
    const found = thumbnails.get(name)
    if (found) return found
    const machine = {
      engine,
      name,
      get server() {
        return servers.get(name) ?? server
      },
    }
    const worker = runThumbnailWorker(deps, machine)
    thumbnails.set(name, worker)
    return worker
  }
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
      ...[sharingActions, wpcSharingActions, shareHooks],
      ...[wordpressActions(deps), wordpressLists(deps), cronActions(deps), wordpressUserActions(deps)],
      ...[healthActions(deps), packageActions(deps, packages), coreActions(deps), networkActions(deps)],
      cloneAction(deps),
      portableActions(deps),
      ...[...backupControllers(deps), scheduleController(deps), ...storeControllers(deps), foundSitesController],
      ...[domainsActions(deps), certificateActions(deps), serviceActions(deps)],
      stagingActions(deps),
      deploymentActions(deps),
      monitoringActions(deps),
      ...[databaseActions(deps), databaseMoveActions(deps), consoleActions(deps)],
      ...bulk.controllers,
      ...wordpressRightsHooks(deps),
    ],
    methods: [
      ...siteMethods(deps),
      thumbnailMethod(deps),
      ...[readLogMethod, checksumMethod, uptimeMethod(deps), recentUptimeMethod(deps)],
      downloadLogMethod,
      downloadMailMethod,
      downloadFilesMethod,
      downloadExportMethod,
      ...[
        downloadBackupMethod(deps, assemblies),
        ...[previewRetentionMethod, dueBackupMethod(deps)],
        ...[proofDocumentMethod(deps), backupThumbnailMethod(deps)],
        backupStoresMethod,
      ],
      ...eeBackupMethods(deps),
      ...bulk.methods,
    ],
    uploads: [siteFileUploads(deps.documents, files), packageUploads(deps.documents, packages), importUploads(deps)],
    routes: [pushRoute(deps)],
    jobs: siteJobs(deps),
    schedules: siteSchedules(deps, thumbnailsOf),
    sweeps: [uptimeSweep(deps), backupSweep(deps), bucketSweep(deps), ...bulk.sweeps],
    metrics: own.flatMap(siteMetrics),

    on(event) {
      const { doctype, kind } = event
      bulk.on(event)
      if (doctype === 'Site Backup' && kind === 'delete') void removeLocal(deps, event.name)
      if (doctype === 'Site' && kind === 'update') for (const worker of thumbnails.values()) void worker.catchUp()
    },

    prepare: () => assemblies.clear(),

    async start() {
      for (const host of own) {
        await refreshAddresses(deps, host)
        await refreshAliases(deps, host)
        watchHealth(deps, host)
        watchStorage(deps, host.engine)
        await pushQuotas(deps, host)
      }
      for (const host of hostsWith(own, 'thumbnail')) thumbnailsOf(host)
      bulk.start()
    },

    async whenThumbnailsTaken() {
      await Promise.all([...thumbnails.values()].map((worker) => worker.catchUp()))
    },

    async stop() {
      await bulk.stop()
      await assemblies.stop()
      await Promise.all([...thumbnails.values()].map((worker) => worker.stop()))
    },
  }
}

/** How many sites an engine of this machine holds, and how many of them run. */
function siteMetrics({ engine, server }: EngineHost): Metric[] {
  const { host, name } = engine
  if (host === undefined) return []
  const gauge = (suffix: string, help: string, counts: (site: HostedSite) => boolean): Metric => ({
    kind: 'gauge',
    name: `easydash_${name}_sites${suffix}`,
    help,
    value: async () => (await host.sites(server)).filter(counts).length,
  })
  return [
    gauge('', 'Sites on this machine.', () => true),
    gauge('_awake', 'Sites with a running process.', ({ pid }) => pid !== null),
  ]
}
