import type { Controller } from '#server/contracts/controller.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { Method } from '#server/contracts/method.ts'
import type { JobDefinition } from '#server/jobs/types.ts'
import { refreshAddresses } from './addresses.ts'
import { archiveSiteJob, deleteSiteJob, restoreArchiveJob } from './archive-jobs.ts'
import { createSiteJob } from './create-job.ts'
import type { SitesDeps } from './deps.ts'
import { watchHealth } from './health.ts'
import { siteMethods } from './methods.ts'
import { setPhpVersionJob } from './php-job.ts'
import { runThumbnailWorker, type ThumbnailWorker } from './thumbnail-worker.ts'
import { thumbnailActions, thumbnailMethod } from './thumbnails.ts'
import { applyQuotas, tellQuotas, watchStorage } from './quotas.ts'
import { expireArchives, isHosting, reconcile } from './reconcile.ts'
import { siteActions } from './site-actions.ts'
import { siteHooks } from './site-hooks.ts'
import { shareHooks, sharingActions } from './site-sharing.ts'

/** What the sites feature provides to the composition root. */
export interface Sites extends Feature {
  readonly controllers: readonly Controller[]
  readonly methods: readonly Method[]
  readonly definitions: readonly JobDefinition[]
  /** Reconciles documents and engines and schedules recurring work; call it before jobs start. */
  start(): Promise<void>
  /** Takes the requested thumbnails; resolves when none is left or none can be taken now. */
  picturesTaken(): Promise<void>
  /** Stops the background work outside of jobs. */
  stop(): Promise<void>
}

/** Websites: creating, opening, archiving and deleting them, and keeping their documents up to date. */
export function createSites(deps: SitesDeps): Sites {
  const keepers: ThumbnailWorker[] = []
  return {
    controllers: [siteHooks(deps), siteActions(deps), thumbnailActions(deps), sharingActions, shareHooks],
    methods: [...siteMethods(deps), thumbnailMethod(deps)],
    definitions: [
      createSiteJob(deps),
      archiveSiteJob(deps),
      restoreArchiveJob(deps),
      deleteSiteJob(deps),
      setPhpVersionJob(deps),
    ],

    async start() {
      const { schedule } = deps.jobs()
      for (const engine of Object.values(deps.engines)) {
        if (!isHosting(engine)) continue
        const host = `${engine.name}:${deps.machine ?? 'this'}`
        await refreshAddresses(deps, engine, host)
        watchHealth(deps, engine)
        watchStorage(deps, engine)
        await tellQuotas(deps, engine, host)
        const keeper = runThumbnailWorker(deps, engine, host)
        keepers.push(keeper)
        schedule.add({
          name: `sites.reconcile ${host}`,
          everySeconds: 60,
          atStart: true,
          run: () => reconcile(deps, engine, host),
        })
        schedule.add({
          name: `sites.quotas ${host}`,
          everySeconds: 60,
          atStart: true,
          run: () => applyQuotas(deps, engine, host),
        })
        schedule.add({
          name: `sites.pictures ${host}`,
          everySeconds: 60,
          atStart: true,
          // Not awaited: a screenshot takes seconds, which would delay a shutdown.
          run: async () => void keeper.catchUp(),
        })
      }
      schedule.add({ name: 'sites.expire_archives', everySeconds: 3600, run: () => expireArchives(deps) })
    },

    async picturesTaken() {
      await Promise.all(keepers.map((keeper) => keeper.catchUp()))
    },

    async stop() {
      await Promise.all(keepers.map((keeper) => keeper.stop()))
    },
  }
}
