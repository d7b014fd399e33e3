import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { DeploymentDoctype, type Deployment } from '#shared/doctypes/deployment.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, serializeMessage } from '#shared/localized-message.ts'
import { deploymentLimits } from '#shared/rules/repositories.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'

/** What is deployed. */
interface What {
  /** Null: the head of the branch. */
  readonly commit: string | null
  /** A push began it: if its commit is deployed already, there is nothing to do. */
  readonly pushed?: boolean
}

/**
 * Begins a deployment. Throws AppError `invalid` without a repository or a connection to GitHub, LockedError while a job holds the site.
 */
export async function beginDeployment(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  { commit, pushed = false }: What,
): Promise<{ job: string; deployment: string }> {
  const values = valuesOf(site)
  // Without a connection, the reason comes at once.
  await deps.gitHubOf(tx, site.organization)
  const { name } = await tx.insert(
    DeploymentDoctype,
    { ...values, commit, pushed: pushed ? 1 : 0 },
    { activity: false },
  )
  const { job } = await enqueueFor(deps, tx, site, 'site.deploy', { deployment: name, commit, pushed })
  await writeDeployment(tx, name, { job })
  await forgetOld(tx, site.name)
  return { job, deployment: name }
}

/** Records a deployment after a push that could not begin: without a job, nobody else tells of it. */
export async function noteRefused(
  { clock = systemClock }: SitesDeps,
  tx: Tx,
  site: Site,
  { localized, nextAction }: AppError,
): Promise<void> {
  const message = nextAction ? msg`${localized} ${nextAction}` : localized
  await tx.insert(
    DeploymentDoctype,
    {
      ...valuesOf(site),
      ...{ pushed: 1, status: 'Failed', ended: formatTimestamp(clock.now()) },
      ...serializeMessage('error_message', message),
    },
    { activity: false },
  )
  await forgetOld(tx, site.name)
}

function valuesOf({ organization, name, repository, repo_branch, repo_path }: Site): Partial<Deployment> {
  if (!repository || !repo_branch)
    throw new AppError('invalid', msg`The site has no repository.`, {
      nextAction: msg`Connect one in the configurations of the site.`,
    })
  return { organization, site: name, repository, branch: repo_branch, path: repo_path }
}

/** Writes values the product itself determined: not a user edit, so no hooks and no activity entry. */
export async function writeDeployment(tx: Tx, name: string, values: Partial<Deployment>): Promise<void> {
  await tx.update(DeploymentDoctype, name, values, { hooks: false, activity: false })
}

async function forgetOld(tx: Tx, site: string): Promise<void> {
  const options = { order_by: 'creation desc', limit: 20, limit_start: deploymentLimits.kept }
  for (const { name } of await tx.listFields(DeploymentDoctype, ['name'], [['site', '=', site]], options))
    await tx.delete(DeploymentDoctype, name, { activity: false })
}
