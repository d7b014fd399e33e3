import { controller, ExternalCall, type Controller } from '#server/contracts/controller.ts'
import { DeploymentDoctype } from '#shared/doctypes/deployment.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import { deploymentFolder, isBranch, isCommit, isRepository, shortCommit } from '#shared/rules/repositories.ts'
import type { SitesDeps } from '../deps.ts'
import { requireCapability } from '../engine-of.ts'
import { writeSite } from '../job-parts.ts'
import { beginDeployment } from './begin-deployment.ts'

const nothingDeployed = { deployed_commit: null, deployed_at: null, deploy_due: null } as const

/** Actions about deployments from a repository. */
export function deploymentActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      async connect_repository(site, { repository, branch, path }, { tx }) {
        if (!isRepository(repository))
          throw new AppError('invalid', msg`Enter the repository as “owner/name”.`, { field: 'repository' })
        if (!isBranch(branch)) throw new AppError('invalid', msg`This is no name of a branch.`, { field: 'branch' })
        const folder = deploymentFolder(path, site.site_type)
        if (folder === null)
          throw new AppError('invalid', msg`Enter a folder of the site, with slashes.`, { field: 'path' })
        await requireCapability(deps, tx, site, 'files')
        const github = await deps.gitHubOf(tx, site.organization)
        const detail = untranslated(`${repository} (${branch})`)
        return new ExternalCall(
          async (signal) => {
            const known = await github.nameOf(repository, signal)
            await github.commit(known, { branch }, signal)
            return async (now, { tx: ending }) => {
              await connect(ending, now as Site, { repository: known, repo_branch: branch, repo_path: folder || null })
              return null
            }
          },
          { detail },
        )
      },

      async disconnect_repository(site, _args, { tx }) {
        await writeSite(tx, site.name, { repository: null, repo_branch: null, repo_path: null, ...nothingDeployed })
        return null
      },

      deploy(site, { commit }, { tx }) {
        const id = commit?.toLowerCase() ?? null
        if (id !== null && !isCommit(id))
          throw new AppError('invalid', msg`Enter the full id of the commit: 40 digits and letters.`, {
            field: 'commit',
          })
        return beginDeployment(deps, tx, site, { commit: id })
      },

      async roll_back(site, { deployment }, { tx }) {
        const made = await tx.get(DeploymentDoctype, deployment)
        if (made?.site !== site.name || made.commit === null)
          throw new AppError('invalid', msg`This is no deployment of the site.`, { field: 'deployment' })
        if (made.status !== 'Done')
          throw new AppError('invalid', msg`Only a deployment that succeeded can be gone back to.`, {
            field: 'deployment',
          })
        if (made.repository !== site.repository || made.path !== site.repo_path)
          throw new AppError('invalid', msg`${shortCommit(made.commit)} is of another repository or folder.`, {
            field: 'deployment',
            nextAction: msg`Connect ${String(made.repository)} again first.`,
          })
        return beginDeployment(deps, tx, site, { commit: made.commit })
      },
    },
  })
}

type Connected = Pick<Site, 'repository' | 'repo_branch' | 'repo_path'>

/** What is there of the same repository in the same folder is still deployed, whatever the branch. */
async function connect(tx: Parameters<typeof writeSite>[0], site: Site, to: Connected): Promise<void> {
  const isSame = site.repository === to.repository && site.repo_path === to.repo_path
  await writeSite(tx, site.name, { ...to, ...(isSame ? {} : nothingDeployed) })
}
