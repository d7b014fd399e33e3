import { backupPlans } from './backups.ts'
import { deploymentPlans } from './deployments.ts'
import { bulkRunPlans } from './bulk-run-plans.ts'
import { alertRulePlans } from './server-actions.ts'
import { connectionPlans } from './connections.ts'
import { wpcSitePlans } from './wpc-sites.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import type { PersonKey, Slug } from './people.ts'
import type { Attributes, SubjectPlan } from './subject-plan.ts'

const site = (
  key: string,
  attributes: Omit<Attributes, 'organization'>,
  more: Partial<Pick<Attributes, 'organization'>> & { server?: string } = {},
): SubjectPlan => {
  const organization = more.organization ?? 'acme'
  const isShared = (attributes.shared?.bits.length ?? 0) > 0
  const ours = attributes.development ? '@Server/dev' : isShared ? '@Server/prodShared' : '@Server/prod'
  const server = more.server ?? (organization === 'globex' ? '@Server/foreign' : ours)
  return {
    doctype: 'Site',
    key,
    row: 'Site',
    attributes: { organization, ...attributes },
    values: {
      organization,
      domain: `${organization}-marker-${key.toLowerCase()}`,
      server,
      site_type: 'html',
      status: 'Setting Up',
      engine: 'fake',
    },
  }
}

const server = (key: string, attributes: Attributes): SubjectPlan => ({
  doctype: 'Server',
  key,
  row: 'Server',
  attributes,
  values: {
    organization: attributes.organization,
    hostname: `${attributes.organization}-marker-${key.toLowerCase()}-@serial.test`,
    status: 'Provisioning',
    server_category: attributes.development ? 'development' : 'production',
    engine: 'ee',
    authorized_keys: 'ssh-ed25519 AAAAmarker',
  },
})

const member = (key: string, attributes: Attributes): SubjectPlan => ({
  doctype: 'Organization Member',
  key,
  row: 'Organization Member',
  attributes,
  values: {
    parent: attributes.organization,
    parenttype: 'Organization',
    parentfield: 'members',
    organization_role: attributes.role,
  },
  ...(attributes.about ? { single: true as const } : {}),
})

const job = (key: string, attributes: Attributes): SubjectPlan => ({
  doctype: 'Job',
  key,
  row: 'Job, get_job_logs',
  attributes,
  values: {
    organization: attributes.organization,
    job_type: 'site.create',
    label: `${attributes.organization}-marker job`,
    status: 'Done',
    args: { secret: 'CANARY-job-args' },
  },
})

/**
 * Values of an activity entry: one for every field of the document, including hidden ones, and a detail that isn't a field.
 */
const described = (reference: string | undefined): Record<string, string> | null => {
  const type = doctypes.find(({ name }) => name === reference)
  if (!type) return null
  return Object.fromEntries([...Object.keys(type.fields), 'fact_of_an_action'].map((name) => [name, `was ${name}`]))
}

const activity = (key: string, attributes: Attributes, reference: string | null): SubjectPlan => ({
  doctype: 'Activity',
  key,
  row: attributes.organization === null ? 'Activity of sign-in' : 'Activity (no W/D for anyone)',
  attributes,
  values: {
    organization: attributes.organization,
    actor: 'System',
    action: `${attributes.organization ?? 'platform'}-marker.update`,
    reference_doctype: attributes.reference ?? null,
    reference_name: reference,
    before: described(attributes.reference),
    after: described(attributes.reference),
    hash: '0',
    previous_hash: '0',
  },
})

const share = (key: string, attributes: Attributes): SubjectPlan => ({
  doctype: 'DocShare',
  key,
  row: 'DocShare',
  attributes,
  values: { organization: attributes.organization, share_doctype: 'Site', share_name: `@fresh`, read: 1 },
})

const invite = (key: string, attributes: Attributes): SubjectPlan => ({
  doctype: 'Member Invite',
  key,
  row: 'Member Invite',
  attributes,
  values: {
    organization: attributes.organization,
    user: '@invited',
    organization_role: attributes.role,
    status: 'pending',
    expires: '2099-01-01 00:00:00.000000',
    token_hash: '@unique',
  },
})

const file = (key: string, attributes: Attributes): SubjectPlan => {
  const [doctype = null, of] = attributes.attachedTo?.split('/') ?? []
  return {
    doctype: 'File',
    key,
    row: 'File',
    attributes,
    values: {
      organization: attributes.organization,
      file_name: `${attributes.organization ?? 'private'}-marker.txt`,
      is_private: 1,
      attached_to_doctype: doctype,
      attached_to_name: of ? `@${attributes.attachedTo}` : null,
    },
  }
}

const key = (about: PersonKey): SubjectPlan => ({
  doctype: 'SSH Key',
  key: about,
  row: 'SSH Key (other)',
  attributes: { organization: null, about, owner: about },
  values: {
    parent: '@about',
    parenttype: 'User Meta',
    parentfield: 'ssh_key',
    title: 'laptop',
    public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f',
    fingerprint: '@unique',
  },
})

const apiToken = (about: PersonKey, attributes: Attributes): SubjectPlan => ({
  doctype: 'API Token',
  key: about,
  row: 'API token (role ∩ scopes, one org)',
  attributes: { ...attributes, about },
  values: {
    organization: attributes.organization,
    user: '@about',
    title: `${attributes.organization}-marker`,
    role: 'Organization User',
    scopes: ['sites:read'],
    api_key: '@unique',
    secret_hash: 'CANARY-hash',
  },
})

const savedView = (key: string, row: string, attributes: Attributes): SubjectPlan => ({
  doctype: 'Saved View',
  key,
  row,
  attributes,
  values: {
    organization: attributes.organization,
    title: `${attributes.organization}-marker ${key}`,
    reference_doctype: 'Site',
    filters: [['status', '=', 'Live']],
    shared: row === 'saved view, shared' ? 1 : 0,
  },
})

const notification = (key: string, attributes: Attributes, site: string): SubjectPlan => ({
  doctype: 'Notification Log',
  key,
  row: 'notification',
  attributes: { ...attributes, aboutPlan: `Site/${site}` },
  values: {
    organization: attributes.organization,
    user: '@about',
    subject: `${attributes.organization}-marker is down`,
    event: 'site_down',
    severity: 'critical',
    reference_doctype: 'Site',
    reference_name: `@Site/${site}`,
    created: '2026-01-01 00:00:00.000000',
    activity: '@unique',
  },
})

const ofOrganization = (doctype: string, row: string, organization: Slug): SubjectPlan => ({
  doctype,
  key: organization,
  row,
  attributes: { organization },
  values: { organization },
  single: true,
})

const account = (about: PersonKey, organization: Slug | null): SubjectPlan[] => [
  {
    doctype: 'User',
    key: about,
    row: 'User (other)',
    attributes: { organization, about },
    values: {},
    single: true,
  },
  {
    doctype: 'User Meta',
    key: about,
    row: 'User Meta (other)',
    attributes: { organization, about },
    values: {},
    single: true,
  },
]

/** All kinds of documents of the suite. */
export const subjectPlans: readonly SubjectPlan[] = [
  server('dev', { organization: 'acme', development: true }),
  server('prod', { organization: 'acme' }),
  server('prodShared', { organization: 'acme', holdsShared: 'member' }),
  server('foreign', { organization: 'globex', development: true }),
  server('foreignProd', { organization: 'globex' }),
  site('plain', {}),
  site('onDev', { development: true }),
  site('own', { owner: 'member' }),
  site('read', { shared: { with: 'member', bits: ['read'] } }),
  site('write', { shared: { with: 'member', bits: ['read', 'write'] } }),
  site('share', { shared: { with: 'member', bits: ['read', 'write', 'share'] } }),
  site('offered', { shared: { with: 'member', bits: [] } }),
  site('former', { owner: 'former', shared: { with: 'former', bits: ['read', 'write', 'share'] } }),
  site('foreign', { owner: 'stranger' }, { organization: 'globex' }),
  // A share of another doctype's document with the same name.
  site('namesake', {}),
  // Belongs to one organization and references a document of another: inconsistent data must not expose it.
  site('strayed', { shared: { with: 'elsewhere', bits: ['read'] } }, { server: '@Server/foreignProd' }),
  site('ofElsewhere', { owner: 'elsewhere' }),
  site('foreignShared', { shared: { with: 'member', bits: ['read', 'write', 'share'] } }, { organization: 'globex' }),
  {
    doctype: 'Organization',
    key: 'acme',
    row: 'Organization',
    attributes: { organization: 'acme' },
    values: {},
    single: true,
  },
  {
    doctype: 'Organization',
    key: 'globex',
    row: 'Organization',
    attributes: { organization: 'globex' },
    values: {},
    single: true,
  },
  member('ofOwner', { organization: 'acme', about: 'owner', ofOwner: true, role: 'Organization Admin' }),
  member('ofAdmin', { organization: 'acme', about: 'admin', role: 'Organization Admin' }),
  member('ofManager', { organization: 'acme', about: 'manager', role: 'Organization Manager' }),
  member('ofMember', { organization: 'acme', about: 'member', role: 'Organization User' }),
  member('ofSomebody', { organization: 'acme', role: 'Organization User' }),
  member('foreign', { organization: 'globex', role: 'Organization User' }),
  ...account('owner', 'acme'),
  ...account('member', 'acme'),
  { doctype: 'User', key: 'somebody', row: 'User (other)', attributes: { organization: 'acme' }, values: {} },
  ...account('invited', null),
  ...account('unverified', 'acme'),
  ...account('stranger', 'globex'),
  job('plain', { organization: 'acme' }),
  job('own', { organization: 'acme', owner: 'member' }),
  job('former', { organization: 'acme', owner: 'former' }),
  job('foreign', { organization: 'globex', owner: 'stranger' }),
  ...bulkRunPlans,
  ...wpcSitePlans,
  ...backupPlans,
  ...deploymentPlans,
  activity('ofServer', { organization: 'acme', reference: 'Server' }, '@Server/prod'),
  activity(
    'ofSite',
    { organization: 'acme', reference: 'Site', referenceAttributes: { organization: 'acme' } },
    '@Site/plain',
  ),
  activity(
    'ofSharedSite',
    {
      organization: 'acme',
      reference: 'Site',
      referenceAttributes: { organization: 'acme', shared: { with: 'member', bits: ['read'] } },
    },
    '@Site/read',
  ),
  activity('ofOrganization', { organization: 'acme', reference: 'Organization' }, 'acme'),
  activity('foreign', { organization: 'globex', reference: 'Site' }, '@Site/foreign'),
  // An entry of globex that references a site of acme's member: rules never apply across organizations.
  activity('foreignOfOurs', { organization: 'globex', reference: 'Site' }, '@Site/own'),
  activity('foreignOfElsewhere', { organization: 'globex', reference: 'Site' }, '@Site/ofElsewhere'),
  activity('signIn', { organization: null, reference: 'User' }, 'owner@acme.example'),
  share('own', { organization: 'acme', about: 'member' }),
  share('other', { organization: 'acme', about: 'colleague' }),
  share('foreign', { organization: 'globex', about: 'stranger' }),
  invite('asUser', { organization: 'acme', role: 'Organization User' }),
  invite('asManager', { organization: 'acme', role: 'Organization Manager' }),
  invite('asAdmin', { organization: 'acme', role: 'Organization Admin' }),
  invite('foreign', { organization: 'globex', role: 'Organization User' }),
  ...(['member', 'stranger'] as const).map((about) => key(about)),
  file('ofSite', { organization: 'acme', attachedTo: 'Site/plain' }),
  file('ofOwnSite', { organization: 'acme', attachedTo: 'Site/own' }),
  file('ofReadSite', { organization: 'acme', attachedTo: 'Site/read' }),
  file('ofWrittenSite', { organization: 'acme', attachedTo: 'Site/write' }),
  file('ofServer', { organization: 'acme', attachedTo: 'Server/prod' }),
  file('ofForeign', { organization: 'globex', attachedTo: 'Site/foreign' }),
  file('strayed', { organization: 'acme', attachedTo: 'Site/foreign' }),
  file('loose', { organization: null, owner: 'member' }),
  file('looseForeign', { organization: null, owner: 'stranger' }),
  apiToken('member', { organization: 'acme' }),
  apiToken('manager', { organization: 'acme' }),
  apiToken('admin', { organization: 'acme' }),
  apiToken('stranger', { organization: 'globex' }),
  {
    doctype: 'Plan',
    key: 'Free',
    row: 'Plan',
    attributes: { organization: null, everybody: true },
    values: { plan_name: 'Free' },
    single: true,
  },
  {
    doctype: 'Platform Settings',
    key: 'platform',
    row: 'Platform Settings',
    attributes: { organization: null },
    values: { settings_name: 'platform' },
    single: true,
  },
  {
    doctype: 'Site Quota',
    key: 'html',
    row: 'Site Quota',
    attributes: { organization: null },
    values: { site_type: 'html' },
    single: true,
  },
  ...connectionPlans,
  ...alertRulePlans,
  savedView('private', 'saved view, private', { organization: 'acme', owner: 'member' }),
  savedView('ofOwner', 'saved view, private', { organization: 'acme', owner: 'owner' }),
  savedView('ofAdmin', 'saved view, private', { organization: 'acme', owner: 'admin' }),
  savedView('shared', 'saved view, shared', { organization: 'acme', owner: 'manager' }),
  savedView('foreign', 'saved view, shared', { organization: 'globex', owner: 'stranger' }),
  ofOrganization('Subscription Organization', 'Subscription Organization', 'acme'),
  ofOrganization('Subscription Organization', 'Subscription Organization', 'globex'),
  ofOrganization('Billing Profile', 'plan change, invoices, cards, billing profile', 'acme'),
  ofOrganization('Billing Profile', 'plan change, invoices, cards, billing profile', 'globex'),
  notification('readable', { organization: 'acme', about: 'member' }, 'read'),
  notification('unreadable', { organization: 'acme', about: 'member' }, 'plain'),
  notification('ofOwner', { organization: 'acme', about: 'owner' }, 'plain'),
  notification('foreign', { organization: 'globex', about: 'stranger' }, 'foreign'),
  ...(['acme', 'globex'] as const).flatMap((organization) =>
    [
      { doctype: 'Payment Method', values: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 } },
      { doctype: 'Invoice', values: { number: 'A-1', total: 12, currency: 'EUR', status: 'Paid' } },
    ].map(({ doctype, values }): SubjectPlan => ({
      doctype,
      key: organization,
      row: 'Payment Method, Invoice',
      attributes: { organization },
      values: { organization, ...values },
    })),
  ),
  // Must come after the documents they are about.
  ...(
    [
      ['ofMembersView', 'Saved View', 'Saved View/private'],
      ['ofOwnersView', 'Saved View', 'Saved View/ofOwner'],
      ['ofAdminsView', 'Saved View', 'Saved View/ofAdmin'],
      ['ofSharedView', 'Saved View', 'Saved View/shared'],
      ['ofBilling', 'Billing Profile', 'Billing Profile/acme'],
      ['ofToken', 'API Token', 'API Token/manager'],
      ['ofFile', 'File', 'File/ofSite'],
    ] as const
  ).map(([id, reference, aboutPlan]) => activity(id, { organization: 'acme', reference, aboutPlan }, `@${aboutPlan}`)),
]
