import type { JobDefinition } from '#server/contracts/job.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import {
  authorizeSite,
  showQueued,
  siteAndEngine,
  onlyIfKept,
  undoOrMarkFailed,
  writeSite,
  type SiteJobArgs,
  type SiteJobContext,
} from '../job-parts.ts'
import { checkExistingPage } from '../page-check.ts'
import { pageCheckStep } from '../page-check-step.ts'
import { withTakenBack } from '../taken-back.ts'

/** Only true once the site runs: of a failure before that, the job must not say it. */
const homepageFails = msg`The site is live again, but its homepage fails: you can repair it now.`

/** What visitors and members read about a site that its owners suspended. */
const suspension = msg`The site was suspended by its owners. Resume it to bring it back.`

/** `site.suspend`: stops the site; its host says that it is suspended. */
export function suspendJob(deps: SitesDeps): JobDefinition<SiteJobArgs> {
  async function undo(context: SiteJobContext): Promise<void> {
    const { site, engine } = await siteAndEngine(deps, context, 'suspend')
    await engine.settings.resume(site)
    await context.transaction((tx) => writeSite(tx, site.id, { status: 'Live' }))
  }
  return {
    type: 'site.suspend',
    label: ({ referenceTitle }) => `Suspend ${referenceTitle}`,
    deadlineSeconds: 180,
    cancel: { possible: true },
    authorize: authorizeSite('delete'),
    queued: (input, tx) => showQueued(tx, input, 'Updating', ['Live', 'Failed']),

    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'suspend')
      return [{ key: 'stop', label: 'Stop the site', run: () => engine.settings.suspend(site) }]
    },

    async done(context, tx) {
      await writeSite(tx, context.referenceName, {
        status: 'Suspended',
        suspended_at: formatTimestamp((deps.clock ?? systemClock).now()),
        health: 'Not Checked',
        response_ms: null,
        failure: suspension,
      })
    },

    failed: (context, failure) => undoOrMarkFailed(context, failure, () => undo(context)),

    async canceled(context) {
      await undo(context)
      return msg`the site stays live`
    },
  }
}

/** `site.resume`: lets the site run again. If its homepage fails then, it is live and down: its owners can repair it. */
export function resumeJob(deps: SitesDeps): JobDefinition<SiteJobArgs> {
  return {
    type: 'site.resume',
    label: ({ referenceTitle }) => `Resume ${referenceTitle}`,
    deadlineSeconds: 300,
    cancel: { possible: true },
    authorize: authorizeSite('delete'),
    queued: (input, tx) => showQueued(tx, input, 'Updating', ['Suspended', 'Live', 'Failed']),

    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'suspend')
      return [
        { key: 'start', label: 'Start the site', run: () => engine.settings.resume(site) },
        pageCheckStep(deps, engine, site, async (signal) => {
          // A retry starts here.
          await engine.settings.resume(site)
          try {
            return await checkExistingPage(engine, site, { signal })
          } catch (error) {
            if (signal.aborted) throw error
            throw withTakenBack(error, homepageFails)
          }
        }),
      ]
    },

    async done(context, tx) {
      await writeSite(tx, context.referenceName, { status: 'Live', suspended_at: null, failure: null })
    },

    async failed(context, failure) {
      // Nothing is taken back: the site stays as the steps left it.
      const end = await undoOrMarkFailed(context, failure, async () => {
        const { site, engine } = await siteAndEngine(deps, context, 'suspend')
        const { suspended } = await engine.settings.read(site)
        await context.transaction((tx) =>
          writeSite(
            tx,
            site.id,
            suspended
              ? { status: 'Suspended', failure: suspension }
              : { status: 'Live', suspended_at: null, health: 'Down', failure: failure.message },
          ),
        )
      })
      return onlyIfKept(end)
    },

    async canceled(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'suspend')
      await engine.settings.suspend(site)
      await context.transaction((tx) => writeSite(tx, site.id, { status: 'Suspended', failure: suspension }))
      return msg`the site stays suspended`
    },
  }
}
