/** What the suite expects of sites at WP Cloud. */
import type { Attributes, SubjectPlan } from './subject-plan.ts'

const row = 'WPC Site'
const ended = { row: 'WP Cloud site: end, workers, burst, storage, backup deletion, SSH users' } as const
const changed = { row: 'WP Cloud site: other changes' } as const
const read = { row, letter: 'R', reads: true } as const

/** Its settings are changed by actions. */
export const wpcSiteDeclaration = {
  writable: 'notes',
  ignoredFields: 'status createdby_email locked_by_job atomic_site_id',
  probe: { notes: 'probe' },
  drafts: [
    {
      title: 'site at WP Cloud',
      row,
      values: {
        ...{ organization: 'acme', domain: 'draft.acme.test' },
        ...{ admin_user: 'ann', admin_email: 'ann@acme.example' },
      },
    },
  ],
}

/** Actions of a site at WP Cloud. */
export const wpcSiteActions = {
  'WPC Site.resync': { row, letter: 'R' },
  'WPC Site.list_backups': read,
  'WPC Site.read_log': read,
  'WPC Site.get_metrics': read,
  'WPC Site.purge_cache': changed,
  'WPC Site.set_php_version': changed,
  'WPC Site.set_memory': changed,
  'WPC Site.set_domain': changed,
  'WPC Site.set_aliases': changed,
  'WPC Site.set_defensive_mode': changed,
  'WPC Site.share': { ...changed, people: true },
  'WPC Site.unshare': changed,
  'WPC Site.list_shares': { ...changed, reads: true, people: true },
  'WPC Site.list_privileged': { ...changed, reads: true, people: true },
  'WPC Site.backup': changed,
  'WPC Site.restore': changed,
  'WPC Site.set_workers': ended,
  'WPC Site.set_burst': ended,
  'WPC Site.set_space': ended,
  'WPC Site.delete_backup': ended,
  'WPC Site.list_ssh_users': { ...ended, reads: true },
  'WPC Site.add_ssh_user': ended,
  'WPC Site.remove_ssh_user': ended,
  'WPC Site.set_ssh_access': ended,
  'WPC Site.suspend': ended,
  'WPC Site.resume': ended,
  'WPC Site.delete_permanently': ended,
} as const

const site = (key: string, attributes: Attributes): SubjectPlan => ({
  doctype: 'WPC Site',
  key,
  row,
  attributes,
  values: {
    organization: attributes.organization,
    domain: '@unique',
    notes: `${attributes.organization}-marker`,
    admin_user: 'ann',
    admin_email: 'ann@acme.example',
    // Nothing can be done with it, so nothing is queued.
    status: 'Deleting',
  },
})

/** Sites of the organization, of a member, shared with one, and of another organization. */
export const wpcSitePlans: readonly SubjectPlan[] = [
  site('plain', { organization: 'acme' }),
  site('own', { organization: 'acme', owner: 'member' }),
  site('read', { organization: 'acme', shared: { with: 'member', bits: ['read'] } }),
  site('foreign', { organization: 'globex', owner: 'stranger' }),
]
