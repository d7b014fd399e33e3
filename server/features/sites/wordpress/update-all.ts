import type { JobContext, JobDefinition, JobStepDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { PackageType } from '#server/engines/wordpress-packages.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import { isPackageSlug } from '#shared/rules/wordpress-changes.ts'
import type { SitesDeps } from '../deps.ts'
import { translateEngineErrors } from '../engine-of.ts'
import { checkChangedCode, lookBeforeStep } from '../code-check.ts'
import { enqueueFor } from '../enqueue-site.ts'
import {
  authorizeSite,
  showQueued,
  siteAndEngine,
  stateAfterChange,
  undoOrMarkFailed,
  onlyIfKept,
  writeSite,
  type SiteJobArgs,
} from '../job-parts.ts'
import { watchedSteps } from '../watched-change.ts'
import { checksumAfter } from './checksum-after.ts'
import { readFacts } from './facts-table.ts'
import { inspectAndStore } from './inspect.ts'
import { applyChange, packageTypeOf, slugOf, updateJobs } from './site-change.ts'

/** Most packages of one job. */
const most = 50

interface Update {
  readonly change:
    | { readonly kind: 'update_plugin'; readonly plugin: string }
    | { readonly kind: 'update_theme'; readonly theme: string }
  /** Name of the plugin or theme. */
  readonly title: string
}

/** An outdated package that a job does not update. */
interface LeftOut {
  readonly title: string
  readonly reason: keyof typeof reasons
}

const reasons = {
  elsewhere: 'it is not from wordpress.org. Upload its new version as a ZIP file.',
  too_many: `a run updates at most ${most}. Run the update again.`,
}

const isFromDirectory = ({ change }: Update): boolean => isPackageSlug(slugOf(change))

type UpdateArgs = SiteJobArgs & {
  readonly updates: readonly Update[]
  readonly leftOut: readonly LeftOut[]
  /** The site was already down: updates need not make it work. */
  readonly wasDown: boolean
}

/** Starts the job that updates all plugins or all themes of which WordPress knows a newer version. Throws AppError `invalid` without any. */
export async function enqueueUpdates(deps: SitesDeps, tx: Tx, site: Site, type: PackageType): Promise<{ job: string }> {
  const { facts } = await readFacts(tx, site.name)
  const outdated = ((type === 'plugin' ? facts?.plugins : facts?.themes) ?? []).filter(({ update }) => update !== null)
  if (outdated.length === 0)
    throw new AppError('invalid', msg`No newer version is known.`, { nextAction: msg`Refresh the list.` })
  const all = outdated.map(({ id, name }): Update => {
    const change =
      type === 'plugin'
        ? ({ kind: 'update_plugin', plugin: id } as const)
        : ({ kind: 'update_theme', theme: id } as const)
    return { change, title: name }
  })
  const possible = all.filter(isFromDirectory)
  if (possible.length === 0)
    throw new AppError('unsupported', msg`Only plugins and themes of wordpress.org can be updated from there.`, {
      nextAction: msg`Upload the new versions as ZIP files.`,
    })
  const leftOut: LeftOut[] = [
    ...all.filter((one) => !isFromDirectory(one)).map(({ title }) => ({ title, reason: 'elsewhere' as const })),
    ...possible.slice(most).map(({ title }) => ({ title, reason: 'too_many' as const })),
  ]
  const updates = possible.slice(0, most)
  return enqueueFor(deps, tx, site, updateJobs[type], { updates, leftOut, wasDown: site.health === 'Down' })
}

/**
 * `site.update_plugins` and `site.update_themes`: update one after the other, each with a look at the homepage. One that breaks the site is
 * undone and ends the job; those before it stay.
 */
export function updateAllJobs(deps: SitesDeps): JobDefinition[] {
  return Object.values(updateJobs).map((type) => updateAllJob(deps, type) as JobDefinition)
}

function updateAllJob(deps: SitesDeps, type: (typeof updateJobs)[PackageType]): JobDefinition<UpdateArgs> {
  const kind = type === updateJobs.plugin ? 'plugins' : 'themes'
  return {
    type,
    label: ({ referenceTitle, args: { updates, leftOut } }) => {
      const all = leftOut.length === 0 ? '' : ` of ${updates.length + leftOut.length}`
      return `Update ${updates.length}${all} ${kind} on ${referenceTitle}`
    },
    detail: ({ updates }) => untranslated(updates.map(({ title }) => title).join(', ')),
    deadlineSeconds: 3_600,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () =>
      msg`What was updated before it stays. Look at the error log of the site, or update the others one by one.`,
    queued: (input, tx) => showQueued(tx, input, 'Updating', ['Failed', input.args.was]),
    steps: (context) => stepsOf(deps, context),

    async done({ args, referenceName }, tx) {
      await writeSite(tx, referenceName, stateAfterChange(args))
    },

    // What was updated before stays, so a retry goes on with the rest.
    async failed(context, failure) {
      const end = await undoOrMarkFailed(context, failure, () => undoUnfinished(deps, context))
      return onlyIfKept(end)
    },

    async canceled(context) {
      await undoUnfinished(deps, context)
      return msg`what was updated before stays, the update that went on was undone`
    },
  }
}

async function stepsOf(deps: SitesDeps, context: JobContext<UpdateArgs>): Promise<JobStepDefinition[]> {
  const { updates, wasDown, leftOut } = context.args
  const { site, engine } = await siteAndEngine(deps, context, 'wordpress')
  // Update and look are one step: a retry after the update was undone repeats both.
  const all = updates.map((update, index): JobStepDefinition => ({
    key: keyOf(index),
    label: `Update ${update.title}`,
    deadlineSeconds: 360,
    async run(step) {
      if (index === 0) leftOut.forEach(({ title, reason }) => step.log(`${title} is not updated: ${reasons[reason]}`))
      for (const { run } of stepsOfOne(update, index)) await run(step)
    },
  }))
  return wasDown ? all : [lookBeforeStep(engine, site), ...all]

  function stepsOfOne({ change, title }: Update, index: number): JobStepDefinition[] {
    return watchedSteps(deps, engine, site, {
      key: 'update',
      label: title,
      isBack: null,
      wasDown,
      check: (step) => checkChangedCode(engine, site, step, packageTypeOf(change)),
      async apply(step) {
        const options = { operationId: operationOf(step.job, index), safe: wasDown, signal: step.signal }
        await translateEngineErrors(applyChange(engine, site, change, options))
        await step.transaction(async (tx) => writeSite(tx, site.id, await checksumAfter(tx, site.id)))
      },
      look: {
        key: 'inspect',
        label: title,
        async run({ signal }) {
          const { facts } = await translateEngineErrors(inspectAndStore(deps, engine, site, signal))
          if (facts.broken !== null && !wasDown) throw new AppError('unavailable', untranslated(facts.broken))
        },
      },
    })
  }
}

const keyOf = (index: number): string => `update_${index + 1}`
const operationOf = (job: string, index: number): string => `${job}-${index + 1}`

/** Undoes the update whose step did not end well. */
async function undoUnfinished(deps: SitesDeps, context: JobContext<UpdateArgs>): Promise<void> {
  const { site, engine } = await siteAndEngine(deps, context, 'wordpress')
  const steps = (await context.transaction((tx) => tx.get(JobDoctype, context.job)))?.steps ?? []
  const done = new Set(steps.filter(({ status }) => status === 'Done').map(({ key }) => key))
  // A backup before them has steps of its own.
  const unfinished = context.args.updates.findIndex((_update, index) => !done.has(keyOf(index)))
  if (unfinished >= 0) await engine.packages.undo(site, operationOf(context.job, unfinished))
  await context.transaction((tx) => writeSite(tx, site.id, { status: context.args.was, failure: null }))
  await inspectAndStore(deps, engine, site).catch((error: unknown) =>
    deps.log.warn('WordPress could not be read after an update was undone', { site: site.id, error }),
  )
}
