import { doctypes } from '#shared/doctypes/registry.ts'
import type { PersonKey, Slug } from './people.ts'

/** Properties of a document that the rules depend on. */
export interface Facts {
  /** Null: belongs to no organization. */
  readonly organization: Slug | null
  /** Its creator. */
  readonly owner?: PersonKey
  /** A share of the document. */
  readonly shared?: { readonly with: PersonKey; readonly bits: readonly ('read' | 'write' | 'share')[] }
  /** Is a development server, or is on one. */
  readonly development?: boolean
  /** A site on this server is shared with that person. */
  readonly holdsShared?: PersonKey
  /** The person the document is about: account, member row, settings. */
  readonly about?: PersonKey
  /** The member row of the organization's owner. */
  readonly ofOwner?: boolean
  readonly role?: string
  /** Doctype of the activity entry's reference. */
  readonly reference?: string
  /** `Doctype/key` of the activity entry's reference, if reading that document has its own rules. */
  readonly aboutPlan?: string
  /** Facts about the activity entry's reference. */
  readonly referenceFacts?: Facts
  /** `Doctype/key` of the document a file is attached to. */
  readonly attachedTo?: string
  /** Belongs to the platform and is visible to every verified user. */
  readonly everybody?: true
}

/** A kind of document that all cases are tried on. */
export interface SubjectPlan {
  readonly doctype: string
  /** What makes it different, for the title of a case. */
  readonly key: string
  readonly facts: Facts
  /** Row of the table that applies to it. */
  readonly row: string
  /** Its column values. Servers and sites are referenced by the key of their plan, `@Server/dev`. */
  readonly values: Readonly<Record<string, unknown>>
  /** Only one of it can exist, so writes are tried on the shared document itself. */
  readonly single?: true
}

const site = (
  key: string,
  facts: Omit<Facts, 'organization'>,
  more: Partial<Pick<Facts, 'organization'>> & { server?: string } = {},
): SubjectPlan => {
  const organization = more.organization ?? 'acme'
  const isShared = (facts.shared?.bits.length ?? 0) > 0
  const ours = facts.development ? '@Server/dev' : isShared ? '@Server/prodShared' : '@Server/prod'
  const server = more.server ?? (organization === 'globex' ? '@Server/foreign' : ours)
  return {
    doctype: 'Site',
    key,
    row: 'Site',
    facts: { organization, ...facts },
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

const server = (key: string, facts: Facts): SubjectPlan => ({
  doctype: 'Server',
  key,
  row: 'Server',
  facts,
  values: {
    organization: facts.organization,
    hostname: `${facts.organization}-marker-${key.toLowerCase()}.test`,
    status: 'Provisioning',
    server_category: facts.development ? 'development' : 'production',
    engine: 'ee',
    authorized_keys: 'ssh-ed25519 AAAAmarker',
  },
})

const member = (key: string, facts: Facts): SubjectPlan => ({
  doctype: 'Organization Member',
  key,
  row: 'Organization Member',
  facts,
  values: {
    parent: facts.organization,
    parenttype: 'Organization',
    parentfield: 'members',
    organization_role: facts.role,
  },
  ...(facts.about ? { single: true as const } : {}),
})

const job = (key: string, facts: Facts): SubjectPlan => ({
  doctype: 'Job',
  key,
  row: 'Job, get_job_logs',
  facts,
  values: {
    organization: facts.organization,
    job_type: 'site.create',
    label: `${facts.organization}-marker job`,
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

const activity = (key: string, facts: Facts, reference: string | null): SubjectPlan => ({
  doctype: 'Activity',
  key,
  row: facts.organization === null ? 'Activity of sign-in' : 'Activity (no W/D for anyone)',
  facts,
  values: {
    organization: facts.organization,
    actor: 'System',
    action: `${facts.organization ?? 'platform'}-marker.update`,
    reference_doctype: facts.reference ?? null,
    reference_name: reference,
    before: described(facts.reference),
    after: described(facts.reference),
    hash: '0',
    previous_hash: '0',
  },
})

const share = (key: string, facts: Facts): SubjectPlan => ({
  doctype: 'DocShare',
  key,
  row: 'DocShare',
  facts,
  values: { organization: facts.organization, share_doctype: 'Site', share_name: `@fresh`, read: 1 },
})

const invite = (key: string, facts: Facts): SubjectPlan => ({
  doctype: 'Member Invite',
  key,
  row: 'Member Invite',
  facts,
  values: {
    organization: facts.organization,
    user: '@invited',
    organization_role: facts.role,
    status: 'pending',
    expires: '2099-01-01 00:00:00.000000',
    token_hash: '@unique',
  },
})

const file = (key: string, facts: Facts): SubjectPlan => {
  const [doctype = null, of] = facts.attachedTo?.split('/') ?? []
  return {
    doctype: 'File',
    key,
    row: 'File',
    facts,
    values: {
      organization: facts.organization,
      file_name: `${facts.organization ?? 'private'}-marker.txt`,
      is_private: 1,
      attached_to_doctype: doctype,
      attached_to_name: of ? `@${facts.attachedTo}` : null,
    },
  }
}

const key = (about: PersonKey): SubjectPlan => ({
  doctype: 'SSH Key',
  key: about,
  row: 'SSH Key (other)',
  facts: { organization: null, about, owner: about },
  values: {
    parent: '@about',
    parenttype: 'User Meta',
    parentfield: 'ssh_key',
    title: 'laptop',
    public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f',
    fingerprint: '@unique',
  },
})

const apiToken = (about: PersonKey, facts: Facts): SubjectPlan => ({
  doctype: 'API Token',
  key: about,
  row: 'API token (role ∩ scopes, one org)',
  facts: { ...facts, about },
  values: {
    organization: facts.organization,
    user: '@about',
    title: `${facts.organization}-marker`,
    role: 'Organization User',
    scopes: ['sites:read'],
    api_key: '@unique',
    secret_hash: 'CANARY-hash',
  },
})

const savedView = (key: string, row: string, facts: Facts): SubjectPlan => ({
  doctype: 'Saved View',
  key,
  row,
  facts,
  values: {
    organization: facts.organization,
    title: `${facts.organization}-marker ${key}`,
    reference_doctype: 'Site',
    filters: [['status', '=', 'Live']],
    shared: row === 'saved view, shared' ? 1 : 0,
  },
})

const ofOrganization = (doctype: string, row: string, organization: Slug): SubjectPlan => ({
  doctype,
  key: organization,
  row,
  facts: { organization },
  values: { organization },
  single: true,
})

const account = (about: PersonKey, organization: Slug | null): SubjectPlan[] => [
  {
    doctype: 'User',
    key: about,
    row: 'User (other)',
    facts: { organization, about },
    values: {},
    single: true,
  },
  {
    doctype: 'User Meta',
    key: about,
    row: 'User Meta (other)',
    facts: { organization, about },
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
    facts: { organization: 'acme' },
    values: {},
    single: true,
  },
  {
    doctype: 'Organization',
    key: 'globex',
    row: 'Organization',
    facts: { organization: 'globex' },
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
  { doctype: 'User', key: 'somebody', row: 'User (other)', facts: { organization: 'acme' }, values: {} },
  ...account('invited', null),
  ...account('unverified', 'acme'),
  ...account('stranger', 'globex'),
  job('plain', { organization: 'acme' }),
  job('own', { organization: 'acme', owner: 'member' }),
  job('former', { organization: 'acme', owner: 'former' }),
  job('foreign', { organization: 'globex', owner: 'stranger' }),
  activity('ofServer', { organization: 'acme', reference: 'Server' }, '@Server/prod'),
  activity(
    'ofSite',
    { organization: 'acme', reference: 'Site', referenceFacts: { organization: 'acme' } },
    '@Site/plain',
  ),
  activity(
    'ofSharedSite',
    {
      organization: 'acme',
      reference: 'Site',
      referenceFacts: { organization: 'acme', shared: { with: 'member', bits: ['read'] } },
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
  key('member'),
  key('stranger'),
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
    facts: { organization: null, everybody: true },
    values: { plan_name: 'Free' },
    single: true,
  },
  {
    doctype: 'Platform Settings',
    key: 'platform',
    row: 'Platform Settings',
    facts: { organization: null },
    values: { settings_name: 'platform' },
    single: true,
  },
  {
    doctype: 'Site Quota',
    key: 'html',
    row: 'Site Quota',
    facts: { organization: null },
    values: { site_type: 'html' },
    single: true,
  },
  savedView('private', 'saved view, private', { organization: 'acme', owner: 'member' }),
  savedView('ofOwner', 'saved view, private', { organization: 'acme', owner: 'owner' }),
  savedView('ofAdmin', 'saved view, private', { organization: 'acme', owner: 'admin' }),
  savedView('shared', 'saved view, shared', { organization: 'acme', owner: 'manager' }),
  savedView('foreign', 'saved view, shared', { organization: 'globex', owner: 'stranger' }),
  ofOrganization('Subscription Organization', 'Subscription Organization', 'acme'),
  ofOrganization('Subscription Organization', 'Subscription Organization', 'globex'),
  ofOrganization('Billing Profile', 'plan change, invoices, cards, billing profile', 'acme'),
  ofOrganization('Billing Profile', 'plan change, invoices, cards, billing profile', 'globex'),
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
