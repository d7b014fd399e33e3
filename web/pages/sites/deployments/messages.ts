import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of deployments from a repository. */
export const t = createCatalog({
  title: 'Git deployment',
  hint: 'Brings the files of a repository at GitHub to the site. If the site fails with them, it gets back those of before.',
  none: 'No repository is connected. The organization needs a connection to GitHub.',
  account: 'GitHub account',
  connect: 'Connect repository',
  change: 'Change repository',
  disconnect: 'Disconnect',
  deploy: 'Deploy now',
  repository: 'Repository',
  branch: 'Branch',
  folder: 'Folder',
  root: 'Of the site',
  deployed: 'Deployed',
  nothing: 'Nothing yet',
  unknown: 'Not known. The next deployment puts all files.',
  webhook: 'Webhook',
  webhook_hint:
    'To deploy each push, add this address to the repository’s webhooks at GitHub: content type application/json, the secret of the organization’s connection to GitHub, pushes only.',
  list: 'Last deployments',
  empty: 'Nothing was deployed yet.',
  error: 'The deployments could not be read',
  finding: 'Head of {branch}',
  pushed: 'After a push',
  files: '{count, plural, one {# file} other {# files}}',
})
