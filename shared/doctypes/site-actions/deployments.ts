import { data, datetime, link, text } from '../../fields.ts'
import { siteFileLimits } from '../../rules/site-files.ts'
import { sharedGrants } from './grants.ts'

const measured = { read_only: true, server_owned: true } as const

/** The repository of a site, and what is deployed of it. */
export const deploymentFields = {
  /** `owner/name` at GitHub; null: none is connected. */
  repository: data({ ...measured, length: 140, label: 'Repository' }),
  repo_branch: data({ ...measured, length: 200, label: 'Branch' }),
  /** Folder of the site that it goes to; null: the one that the site serves. */
  repo_path: text({ ...measured, length: siteFileLimits.path, label: 'Folder' }),
  deployed_commit: data({ ...measured, length: 40, label: 'Deployed commit' }),
  deployed_at: datetime({ ...measured, label: 'Deployed' }),
  /** GitHub told of a push that no deployment has begun for. */
  deploy_due: datetime({ ...measured, hidden: true }),
} as const

/** How pushes find their sites, and which of them wait. */
export const deploymentIndexes = [
  { fields: ['repository'], where: 'repository is not null' },
  { fields: ['deploy_due'], where: 'deploy_due is not null' },
]

/** Code gets onto a site, so it takes what the file manager takes. */
const changing = { allow: sharedGrants('write'), capability: 'files', hidden: true } as const

/** Deployments from a repository. */
export const deploymentActions = {
  connect_repository: {
    ...changing,
    label: 'Connect a repository',
    keywords: ['Git', 'GitHub', 'Deploy'],
    activity: 'connected the repository',
    from: ['Live', 'Failed', 'Suspended'],
    args: {
      repository: data({ reqd: true, length: 140, label: 'Repository', description: '`owner/name` at GitHub.' }),
      branch: data({ reqd: true, length: 200, label: 'Branch' }),
      path: text({
        length: siteFileLimits.path,
        label: 'Folder',
        description:
          'Folder of the site that the content of the repository goes to; `/` is the one that the site serves. Default: `wp-content` of WordPress, `/` of others.',
      }),
    },
    returns: 'Nothing',
  },
  disconnect_repository: {
    ...changing,
    label: 'Disconnect the repository',
    phrase: 'Disconnect the repository of {title}',
    activity: 'disconnected the repository',
    confirm: 'What is deployed stays on the site. Pushes are not deployed any more.',
    from: ['Live', 'Failed', 'Suspended'],
    for: ['repository', '!=', ''],
    returns: 'Nothing',
  },
  deploy: {
    ...changing,
    label: 'Deploy',
    keywords: ['Git', 'GitHub', 'Push'],
    activity: 'deployed to the site',
    from: ['Live'],
    for: ['repository', '!=', ''],
    args: {
      commit: data({ length: 40, label: 'Commit', description: 'Its full id. Left out: the head of the branch.' }),
    },
    job: true,
    returns: 'DeploymentStarted',
  },
  roll_back: {
    ...changing,
    label: 'Roll back',
    activity: 'rolled back the site to an earlier deployment',
    from: ['Live'],
    for: ['repository', '!=', ''],
    confirm: 'The site gets the files of that commit. Its database stays as it is.',
    args: { deployment: link('Deployment', { reqd: true, label: 'Deployment' }) },
    job: true,
    returns: 'DeploymentStarted',
  },
} as const
