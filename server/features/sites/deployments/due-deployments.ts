import { LockedError } from '#server/jobs/waiting-jobs.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { labelMessage, msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { beginDeployment, noteRefused } from './begin-deployment.ts'

/** Most sites that one round begins with. */
const atOnce = 100

/**
 * Begins the deployments that pushes asked for. A site that a job holds waits: however often its branch is pushed to meanwhile, one
 * deployment of the head follows.
 */
export async function startDue(deps: SitesDeps): Promise<void> {
  const due = await deps.documents().transaction(systemSession('schedule'), (tx) =>
    tx.listFields(
      SiteDoctype,
      ['name'],
      [
        ['deploy_due', 'is', 'set'],
        ['locked_by_job', 'is', 'not set'],
      ],
      { order_by: 'deploy_due asc', limit: atOnce },
    ),
  )
  for (const { name } of due) {
    try {
      await start(deps, name)
    } catch (error) {
      // Its turn comes when the job has ended.
      if (!(error instanceof LockedError)) await refuse(deps, name, error)
    }
  }
}

async function start(deps: SitesDeps, name: string): Promise<void> {
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const site = await tx.get(SiteDoctype, name, { lock: true })
    if (!site?.deploy_due) return
    await tx.updateColumns(SiteDoctype, name, { deploy_due: null })
    if (site.status !== 'Live' && site.locked_by_job === null)
      throw new AppError('invalid', msg`The site is ${labelMessage(site.status ?? '')}, so nothing can be deployed.`)
    await beginDeployment(deps, tx, site, { commit: null, pushed: true })
  })
}

/** What is wrong with the site or its connection is said once, not tried for ever. */
async function refuse(deps: SitesDeps, name: string, error: unknown): Promise<void> {
  deps.log.warn('A deployment after a push could not begin', { site: name, error })
  if (!(error instanceof AppError)) return
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const site = await tx.get(SiteDoctype, name, { lock: true })
    if (!site?.deploy_due) return
    await tx.updateColumns(SiteDoctype, name, { deploy_due: null })
    if (site.repository !== null) await noteRefused(deps, tx, site, error)
  })
}
