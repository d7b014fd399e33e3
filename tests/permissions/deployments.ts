/** What the suite expects of deployments: they follow the site they are of, whose actions make them. */
import type { Attributes, SubjectPlan } from './subject-plan.ts'

const ofWriters = { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' } as const

/** Nobody edits a deployment. */
export const deploymentDeclaration = {
  ignoredFields: 'status',
  probe: { branch: 'probe' },
}

/** Fields that no client is sent. */
export const hiddenOfDeployments = ['previous_commit', 'removes']

/** Fields that only the server sets. */
export const deploymentFieldsWithoutEffect = `
  author branch commit ended error_message error_message_i18n files_changed job message organization path
  previous_commit pushed removes repository site status`

/** Actions of sites about deployments. */
export const deploymentActions = {
  'Site.connect_repository': ofWriters,
  'Site.disconnect_repository': ofWriters,
  'Site.deploy': ofWriters,
  'Site.roll_back': ofWriters,
} as const

const deployment = (key: string, attributes: Attributes): SubjectPlan => ({
  doctype: 'Deployment',
  key,
  row: 'Deployment',
  attributes,
  values: {
    organization: attributes.organization,
    site: `@Site/${key}`,
    branch: `${attributes.organization}-marker ${key}`,
    status: 'Failed',
  },
})

/** A deployment of each kind of site. */
export const deploymentPlans: readonly SubjectPlan[] = [
  deployment('plain', { organization: 'acme' }),
  deployment('own', { organization: 'acme', owner: 'member' }),
  deployment('read', { organization: 'acme', shared: { with: 'member', bits: ['read'] } }),
  deployment('foreign', { organization: 'globex', owner: 'stranger' }),
]
