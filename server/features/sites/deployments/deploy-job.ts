import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FailureEnd, JobContext, JobDefinition, JobStepDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { SiteFiles } from '#server/engines/site-files.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { DeploymentDoctype, type Deployment } from '#shared/doctypes/deployment.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, serializeMessage, untranslated } from '#shared/localized-message.ts'
import { shortCommit } from '#shared/rules/repositories.ts'
import { pathIn } from '#shared/rules/site-files.ts'
import { checkChangedCode, lookBeforeStep } from '../code-check.ts'
import type { SitesDeps } from '../deps.ts'
import { translateEngineErrors } from '../engine-of.ts'
import {
  authorizeSite,
  showQueued,
  siteAndEngine,
  undoOrMarkFailed,
  writeSite,
  type SiteJobArgs,
} from '../job-parts.ts'
import { shownPath } from '../shown-path.ts'
import { watchedSteps } from '../watched-change.ts'
import { writeDeployment } from './begin-deployment.ts'
import { readChange, type CommitChange } from './commit-files.ts'
import { putBack, removeFiles } from './removed-files.ts'

type DeployArgs = SiteJobArgs & {
  readonly deployment: string
  readonly commit: string | null
  readonly pushed: boolean
}

const filesAreBack = msg`Nothing was deployed: the files are as they were before.`

/** Kept by the steps: there is nothing to put or to remove; and how many files there are. */
const [nothingKey, changedKey] = ['has_nothing', 'files_changed']

/**
 * `site.deploy`: brings a commit of its repository to a site, loads the homepage, and takes everything back if that fails. Of what was
 * deployed before, only files that differ are put, and those that are gone are moved to the trash.
 */
export function deployJob(deps: SitesDeps): JobDefinition<DeployArgs> {
  return {
    type: 'site.deploy',
    label: ({ referenceTitle }) => `Deploy to ${referenceTitle}`,
    detail: ({ commit }) => untranslated(commit === null ? '' : shortCommit(commit)),
    deadlineSeconds: 1_800,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => filesAreBack,

    async queued(input, tx) {
      const { deployment, was } = input.args
      const [site, made] = [await tx.get(SiteDoctype, input.referenceName), await deploymentOf(tx, deployment)]
      if (site?.repository !== made.repository || site.repo_path !== made.path)
        throw new AppError('invalid', msg`The site has another repository by now, so this job cannot go on.`)
      await showQueued(tx, input, 'Updating', ['Failed', was], { keepsReason: true })
      await writeDeployment(tx, deployment, {
        status: 'Queued',
        ended: null,
        ...serializeMessage('error_message', null),
      })
    },

    steps: (context) => stepsOf(deps, context),

    async done(context, tx) {
      const { args, referenceName, kept } = context
      const { commit, previous_commit: previous } = await deploymentOf(tx, args.deployment)
      if (args.pushed && commit === previous) {
        // GitHub repeats what it tells, and several pushes can be deployed at once.
        await tx.delete(DeploymentDoctype, args.deployment, { activity: false })
        await writeSite(tx, referenceName, { status: args.was })
        return msg`this commit is deployed already`
      }
      const now = nowOf(deps)
      await writeSite(tx, referenceName, { status: args.was, deployed_commit: commit, deployed_at: now })
      const count = Number(kept[changedKey] ?? 0)
      await writeDeployment(tx, args.deployment, { status: 'Done', ended: now, files_changed: count, removes: null })
    },

    async failed(context, failure) {
      const end = await undoOrMarkFailed(context, failure, () => undo(deps, context))
      const message = failure.nextAction.text === '' ? failure.message : msg`${failure.message} ${failure.nextAction}`
      await context.transaction((tx) =>
        endWithout(deps, tx, context, end, { status: 'Failed', ...serializeMessage('error_message', message) }),
      )
      return end
    },

    async canceled(context) {
      const end = await undo(deps, context)
      await context.transaction((tx) => endWithout(deps, tx, context, end, { status: 'Cancelled' }))
      if (end === 'undone') return msg`nothing was deployed`
      return msg`look at the files: the commit may be deployed already`
    },
  }
}

async function deploymentOf(tx: Tx, name: string): Promise<Deployment> {
  const deployment = await tx.get(DeploymentDoctype, name)
  if (!deployment) throw new AppError('not_found', msg`The deployment no longer exists.`)
  return deployment
}

const nowOf = ({ clock = systemClock }: SitesDeps) => formatTimestamp(clock.now())

/** What is fetched for a job, on this machine. */
const folderOf = ({ backupsFolder }: SitesDeps, { job }: Pick<JobContext, 'job'>): string =>
  join(dirname(backupsFolder), 'deployments', job)

const removeFetched = (deps: SitesDeps, context: Pick<JobContext, 'job'>) =>
  rm(folderOf(deps, context), { recursive: true, force: true })

/** The state of a deployment that did not come to its end. What is on the site then is not always known. */
async function endWithout(
  deps: SitesDeps,
  tx: Tx,
  context: JobContext<DeployArgs>,
  end: FailureEnd,
  values: Partial<Deployment>,
): Promise<void> {
  if (end !== 'undone') await writeSite(tx, context.referenceName, { deployed_commit: null })
  const removes = end === 'undone' ? { removes: null } : {}
  await writeDeployment(tx, context.args.deployment, { ...values, ...removes, ended: nowOf(deps) })
}

async function undo(deps: SitesDeps, context: JobContext<DeployArgs>): Promise<'undone' | 'unknown'> {
  await removeFetched(deps, context)
  const { site, engine } = await siteAndEngine(deps, context, 'files')
  const isKept = await takeBack(engine.files, site, context)
  const job = await context.transaction(async (tx) => {
    await writeSite(tx, context.referenceName, { status: context.args.was })
    return tx.get(JobDoctype, context.job)
  })
  // Once the files before are forgotten, they can't be put back any more.
  const keep = job?.steps?.find(({ key }) => key === 'keep')?.status
  return isKept || keep === undefined || keep === 'Waiting' ? 'undone' : 'unknown'
}

/** Puts back what an attempt replaced and removed. Returns whether what it replaced was kept; without that, nothing is put back. */
async function takeBack(
  files: SiteFiles,
  site: SiteRef,
  { job, args, transaction, log }: JobContext<DeployArgs>,
): Promise<boolean> {
  const { left, kept } = await files.undoUnpack(site, job)
  if (left.length > 0)
    log(`These files appeared in deployed folders meanwhile and stay: ${left.map(shownPath).join(', ')}`)
  const { removes } = await transaction((tx) => deploymentOf(tx, args.deployment))
  await putBack(files, site, removes ?? [])
  await transaction((tx) => writeDeployment(tx, args.deployment, { removes: null }))
  return kept
}

async function stepsOf(deps: SitesDeps, context: JobContext<DeployArgs>): Promise<JobStepDefinition[]> {
  const { site, engine } = await siteAndEngine(deps, context, 'files')
  const { files } = engine
  const { args, organization, referenceName } = context
  const deploymentNow = () => context.transaction((tx) => deploymentOf(tx, args.deployment))
  const gitHub = () => context.transaction((tx) => deps.gitHubOf(tx, organization))
  let change: CommitChange | null = null
  // A step after a restart needs what was fetched before.
  const changeFor = async ({ signal, log }: JobContext): Promise<CommitChange> => {
    const { repository, commit, previous_commit: before } = await deploymentNow()
    // Whoever deploys what is deployed already wants all of it to be as it is in the repository.
    const previous = before === commit ? null : before
    const wanted = { repository: String(repository), commit: String(commit), previous, signal, log }
    change ??= await readChange(await gitHub(), { ...wanted, folder: folderOf(deps, context) })
    return change
  }
  const unlessNothing = (step: JobStepDefinition): JobStepDefinition => ({
    ...step,
    isNeedless: ({ kept }) => kept[nothingKey] === true,
  })

  const resolve: JobStepDefinition = {
    key: 'resolve',
    label: 'Find the commit',
    async run(step) {
      const { repository, branch } = await deploymentNow()
      const ref = args.commit === null ? { branch: String(branch) } : { sha: args.commit }
      const { sha: commit, author, message } = await (await gitHub()).commit(String(repository), ref, step.signal)
      step.log(`${commit} by ${author}: ${message}`)
      await step.transaction(async (tx) => {
        const previous = (await tx.get(SiteDoctype, referenceName))?.deployed_commit ?? null
        const found = { commit, author, message, previous_commit: previous, removes: null }
        await writeDeployment(tx, args.deployment, { status: 'Running', ...found })
        if (args.pushed && previous === commit) step.keep({ [nothingKey]: true })
      })
    },
  }
  const fetching: JobStepDefinition = {
    key: 'fetch',
    label: 'Fetch what changed',
    weight: 2,
    deadlineSeconds: 600,
    async run(step) {
      const { put, removed } = await changeFor(step)
      step.log(`${put.length} files to put, ${removed.length} to remove`)
      const count = put.length + removed.length
      step.keep({ [changedKey]: count, ...(count === 0 ? { [nothingKey]: true } : {}) })
    },
  }
  const put = watchedSteps(deps, engine, site, {
    key: 'put',
    label: 'Put the files',
    deadlineSeconds: 900,
    isBack: filesAreBack,
    // Themes decide how pages end, and a repository can have one.
    check: (step) => checkChangedCode(engine, site, step, 'theme'),
    undo: () => takeBack(files, site, context),
    async apply(step) {
      const { archive, removed } = await changeFor(step)
      const { path } = await deploymentNow()
      const into = path ?? ''
      const intend = (removes: readonly string[]) =>
        step.transaction((tx) => writeDeployment(tx, args.deployment, { removes }))
      const paths = removed.map((one) => pathIn(into, one))
      const count = await translateEngineErrors(removeFiles({ files, site, paths, intend }))
      step.log(`Moved ${count} files to the trash`)
      if (archive === null) return
      const { signal, progress: onProgress, job: operationId } = step
      const options = { source: archive, into, replace: true, operationId, signal, onProgress }
      const { files: unpacked } = await translateEngineErrors(files.unpack(site, '', options))
      step.log(`Put ${unpacked} files`)
    },
  })
  const keep: JobStepDefinition = {
    key: 'keep',
    label: 'Forget the files before',
    async run({ job }) {
      await files.finishUnpack(site, job)
      await removeFetched(deps, context)
    },
  }
  return [resolve, unlessNothing(fetching), ...[lookBeforeStep(engine, site), ...put, keep].map(unlessNothing)]
}
