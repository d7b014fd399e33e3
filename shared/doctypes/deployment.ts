import { doctype, type Doc } from '../doctype.ts'
import { check, data, datetime, int, json, link, select, text } from '../fields.ts'
import type { MessageDescriptor } from '../localized-message.ts'
import { siteFileLimits } from '../rules/site-files.ts'
import { ownOrShared } from './site-actions/grants.ts'

/** States of a deployment. Clients depend on these values. */
export const deploymentStatuses = ['Queued', 'Running', 'Done', 'Failed', 'Cancelled'] as const

const measured = { read_only: true, server_owned: true } as const

/** A commit of a repository that was brought to a site, or is going to be. Made by actions of the site. */
export const DeploymentDoctype = doctype('Deployment', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  area: 'sites',
  naming: 'random',
  title_field: 'branch',
  plural: 'Deployments',
  fields: {
    organization: link('Organization', { ...measured, reqd: true }),
    site: link('Site', { ...measured, reqd: true, in_list_view: true, in_standard_filter: true }),
    repository: data({ ...measured, length: 140, in_list_view: true, label: 'Repository' }),
    branch: data({ ...measured, length: 200, in_list_view: true, label: 'Branch' }),
    /** Folder of the site that it goes to; null: the one that the site serves. */
    path: text({ ...measured, length: siteFileLimits.path, label: 'Folder' }),
    /** Null: it is not known yet which the head of the branch is. */
    commit: data({ ...measured, length: 40, in_list_view: true, label: 'Commit' }),
    /** Who wrote it. */
    author: data({ ...measured, length: 200, in_list_view: true, label: 'Author' }),
    /** The first line of the commit's message. */
    message: data({ ...measured, length: 200, label: 'Message' }),
    status: select(deploymentStatuses, {
      ...measured,
      default: 'Queued',
      in_list_view: true,
      in_standard_filter: true,
    }),
    /** Files that were put or removed; null: none yet. */
    files_changed: int({ ...measured, in_list_view: true, label: 'Changed files' }),
    /** A push began it. */
    pushed: check({ ...measured, label: 'Began with a push' }),
    ended: datetime({ ...measured, label: 'Ended' }),
    error_message: text({ ...measured }),
    error_message_i18n: json<MessageDescriptor>({ ...measured }),
    job: link('Job', { ...measured }),
    /** What was deployed before: of its files, only others are put. */
    previous_commit: data({ ...measured, hidden: true, length: 40 }),
    /** Paths that it takes away, written down before it does. */
    removes: json<readonly string[]>({ ...measured, hidden: true }),
  },
  list: { order_by: 'creation desc', filter_fields: ['status'], same_titles: true },
  indexes: [{ fields: ['site', 'creation'] }],
  permissions: {
    'Platform Admin': { read: true },
    Owner: { read: true },
    'Organization Admin': { read: true },
    'Organization Manager': { read: true },
    'Organization User': { read: { link: 'site', matches: ownOrShared('read') } },
  },
})

/** A deployment document. */
export type Deployment = Doc<typeof DeploymentDoctype>
