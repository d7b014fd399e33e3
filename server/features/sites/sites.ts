import type { Controller } from '#server/contracts/controller.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { Method } from '#server/contracts/method.ts'
import type { JobDefinition } from '#server/contracts/job.ts'
import type { Metric } from '#server/contracts/metric.ts'
import type { ScheduledWork } from '#server/contracts/schedule.ts'
import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { siteCheckSeconds } from '#shared/rules/site-check.ts'
import { refreshAddresses } from './addresses.ts'
import { archiveSiteJob, deleteSiteJob, restoreArchiveJob } from './archive-jobs.ts'
import { createSiteJob } from './create-job.ts'
import type { SitesDeps } from './deps.ts'
import { checkRunning, watchHealth } from './health.ts'
import { isHosting, type HostingEngine } from './hosting-engine.ts'
import { siteMethods } from './methods.ts'
import { setPhpVersionJob } from './php-job.ts'
import { checkWordPressUsers } from './wordpress-users/check-users.ts'
import { wordpressRightsHooks } from './wordpress-users/rights-hooks.ts'
import { syncUsersJob } from './wordpress-users/sync-users-job.ts'
import { siteTables } from './site-tables.ts'
import { runThumbnailWorker, type ThumbnailWorker } from './thumbnail-worker.ts'
import { thumbnailActions, thumbnailMethod } from './thumbnails.ts'
import { applyQuotas, pushQuotas, watchStorage } from './quotas.ts'
import { expireArchives, reconcile } from './reconcile.ts'
import { siteActions } from './site-actions.ts'
import { siteHooks } from './site-hooks.ts'
import { shareHooks, sharingActions } from './site-sharing.ts'

/** What the sites feature provides to the composition root. */
export interface Sites extends Feature {
  readonly controllers: readonly Controller[]
  readonly methods: readonly Method[]
  readonly jobs: readonly JobDefinition[]
  readonly schedules: readonly ScheduledWork[]
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
  const hosts = Object.values(deps.engines)
    .filter(isHosting)
    .map((engine) => ({ engine, host: `${engine.name}:${deps.machine ?? 'this'}` }))
  /** By host; empty until the start. */
  const thumbnails = new Map<string, ThumbnailWorker>()
  return {
    tables: siteTables,
    controllers: [
      siteHooks(deps),
      siteActions(deps),
      thumbnailActions(deps),
      sharingActions,
      shareHooks,
      ...wordpressRightsHooks(deps),
    ],
    methods: [...siteMethods(deps), thumbnailMethod(deps)],
    jobs: [
      createSiteJob(deps),
      archiveSiteJob(deps),
      restoreArchiveJob(deps),
      deleteSiteJob(deps),
      setPhpVersionJob(deps),
      syncUsersJob(deps),
    ],
    schedules: [
      ...hosts.flatMap(({ engine, host }) => [
        { name: `sites.reconcile ${host}`, ...minutely, run: () => reconcile(deps, engine, host) },
        { name: `sites.check ${host}`, everySeconds: siteCheckSeconds, run: () => checkRunning(deps, engine) },
        { name: `sites.quotas ${host}`, ...minutely, run: () => applyQuotas(deps, engine, host) },
        // Not awaited: a screenshot takes seconds, which would delay a shutdown.
        { name: `sites.pictures ${host}`, ...minutely, run: async () => void thumbnails.get(host)?.catchUp() },
      ]),
      { name: 'sites.wordpress_users', ...minutely, run: () => checkWordPressUsers(deps) },
      { name: 'sites.expire_archives', everySeconds: 3600, run: () => expireArchives(deps) },
    ],
    metrics: hosts.flatMap(({ engine }) => siteMetrics(engine)),

    on({ doctype, kind }) {
      if (doctype === 'Site' && kind === 'update') for (const worker of thumbnails.values()) void worker.catchUp()
    },

    async start() {
      for (const { engine, host } of hosts) {
        await refreshAddresses(deps, engine, host)
        watchHealth(deps, engine)
        watchStorage(deps, engine)
        await pushQuotas(deps, engine, host)
        thumbnails.set(host, runThumbnailWorker(deps, engine, host))
      }
    },

    async whenThumbnailsTaken() {
      await Promise.all([...thumbnails.values()].map((worker) => worker.catchUp()))
    },

    async stop() {
      await Promise.all([...thumbnails.values()].map((worker) => worker.stop()))
    },
  }
}

const minutely = { everySeconds: 60, atStart: true } as const

/** How many sites an engine of this machine holds, and how many of them run. */
function siteMetrics(engine: HostingEngine): Metric[] {
  const prefix = `easydash_${engine.name}_sites`
  return [
    { kind: 'gauge', name: prefix, help: 'Sites on this machine.', value: () => engine.listSites().length },
    {
      kind: 'gauge',
      name: `${prefix}_awake`,
      help: 'Sites with a running process.',
      value: () => engine.listSites().filter(({ pid }) => pid !== null).length,
    },
  ]
}
