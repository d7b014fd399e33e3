import type { JobDefinition } from '#server/contracts/job.ts'
import { msg } from '#shared/localized-message.ts'
import { restartKinds, type RestartKind } from '#shared/rules/site-restarts.ts'
import type { SitesDeps } from './deps.ts'
import { authorizeSite, siteAndEngine, type SiteJobArgs } from './job-parts.ts'
import { checkChangedPage } from './page-check.ts'
import { pageCheckStep } from './page-check-step.ts'

const labels: Readonly<Record<RestartKind, { readonly job: string; readonly step: string }>> = {
  restart: { job: 'Restart', step: 'Restart its services' },
  reload: { job: 'Reload the configuration of', step: 'Have its web server and PHP read their configuration' },
  rebuild: { job: 'Rebuild the containers of', step: 'Make its containers anew' },
}

/** `site.restart`, `site.reload` and `site.rebuild`: restart what serves a site, and load its homepage afterward. */
export const restartJobs = (deps: SitesDeps): JobDefinition<SiteJobArgs>[] =>
  restartKinds.map((kind) => restartJob(deps, kind))

function restartJob(deps: SitesDeps, kind: RestartKind): JobDefinition<SiteJobArgs> {
  return {
    type: `site.${kind}`,
    label: ({ referenceTitle }) => `${labels[kind].job} ${referenceTitle}`,
    deadlineSeconds: 900,
    cancel: { possible: false, reason: 'It takes a moment, and must not stop halfway.' },
    authorize: authorizeSite('write'),
    nextAction: () => msg`Look at the logs of the site, then try again.`,
    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, kind === 'restart' ? 'restart' : 'containers')
      return [
        {
          key: 'restart',
          label: labels[kind].step,
          deadlineSeconds: 600,
          run: ({ job, signal, log }) => engine.restart(site, { kind, operationId: job, signal, log }),
        },
        pageCheckStep(deps, engine, site, (signal) => checkChangedPage(engine, site, signal)),
      ]
    },
  }
}
