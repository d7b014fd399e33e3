import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import { siteDatabases, type SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import {
  authorizeSite,
  engineSteps,
  showQueued,
  siteAndEngine,
  undoOrMarkFailed,
  writeSite,
  type SiteJobArgs,
} from '../job-parts.ts'
import { checkChangedPage } from '../page-check.ts'
import { pageCheckStep } from '../page-check-step.ts'
import { storedKind } from './stored-kind.ts'

const names: Readonly<Record<SiteDatabaseKind, string>> = { sqlite: 'SQLite', mysql: 'MySQL' }

/** The jobs that move databases, one for each kind to move to. */
export const moveDatabaseJobs = (deps: SitesDeps): JobDefinition[] =>
  siteDatabases.map((to) => moveDatabaseJob(deps, to))

/** `site.move_to_…`: the engine copies and compares the content, our own check loads the page, and only then visitors come back. */
function moveDatabaseJob(deps: SitesDeps, to: SiteDatabaseKind): JobDefinition {
  const isBack = msg`The site has the database it had before.`

  /** Whether the engine finished the move: then the document follows, whatever happened to the job. */
  async function undo(context: JobContext<SiteJobArgs>): Promise<'undone' | 'finished'> {
    const { site, engine } = await siteAndEngine(deps, context, 'mysql')
    const now = await engine.databaseMoves.undo(site)
    await context.transaction((tx) =>
      writeSite(tx, site.id, { database: storedKind(now), status: context.args.was, failure: null }),
    )
    return now === to ? 'finished' : 'undone'
  }

  return {
    type: `site.move_to_${to}`,
    label: ({ referenceTitle }) => `Move the database of ${referenceTitle} to ${names[to]}`,
    deadlineSeconds: 4_500,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => isBack,

    queued: (input, tx) => showQueued(tx, input, 'Updating', ['Failed', input.args.was]),

    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'mysql')
      return [
        ...engineSteps(engine.databaseMoves.steps(site, to)),
        pageCheckStep(deps, engine, site, (signal) => checkChangedPage(engine, site, signal)),
        {
          key: 'open',
          label: 'Let visitors in again',
          weight: 1,
          async run() {
            await engine.databaseMoves.finish(site)
            if ((await engine.databaseMoves.kind(site)) !== to)
              throw new AppError('conflict', msg`The site does not use the new database.`, {
                nextAction: msg`Retry the move.`,
              })
          },
        },
      ]
    },

    async done(context, tx) {
      const values = { database: storedKind(to), status: context.args.was, failure: null }
      await writeSite(tx, context.referenceName, values)
    },

    failed: (context, failure) => undoOrMarkFailed(context, failure, () => undo(context)),

    async canceled(context) {
      return (await undo(context)) === 'finished'
        ? msg`the site has its new database already`
        : msg`the site keeps its database`
    },
  } satisfies JobDefinition<SiteJobArgs> as JobDefinition
}
