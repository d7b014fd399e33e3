import { listedInvitation } from '../responses/invitations.ts'
import { doctype, type Doc } from '../doctype.ts'
import { check, data, datetime, int, json, link, secret, select, table, text, type Field } from '../fields.ts'
import * as z from 'zod/mini'
import { timestamp, described, nothing, person } from '../schema.ts'
import type { QuotaOverrides } from '../rules/site-quotas.ts'
import { connectionCheckSchema, connectionFields, connectionNames, type Connections } from './connections.ts'
import { organizationRoles, type OrganizationMember } from './organization-member.ts'

/** Plans in ascending order (docs/contracts/screens.md, section 9). */
export const planNames = ['Free', 'Starter', 'Growth', 'Pro', 'Agency', 'Enterprise'] as const

/** A member in `list_members`. */
const memberSchema = z.object({
  name: described(z.string(), 'Name of the member row'),
  user: person,
  full_name: z.nullable(person),
  user_image: z.nullable(person),
  organization_role: z.enum(organizationRoles),
  is_owner: z.boolean(),
  joined: timestamp,
  sites: described(z.nullable(z.int()), 'Sites a plain member sees; null for those who see all'),
  ssh_keys: described(z.nullable(z.int()), 'For owner and admins, else null'),
  two_factor: described(z.nullable(z.boolean()), 'For owner and admins, else null'),
  last_active: described(z.nullable(timestamp), 'In this organization; for owner and admins, else null'),
})

/** A member in `list_members`. Times are UTC. */
export type ListedMember = z.infer<typeof memberSchema>

/** Credentials that are cleared together, by what they are for. */
export const credentialFields = {
  digitalocean: ['do_token'],
  hetzner: ['hcloud_token'],
  aws: ['aws_access_key', 'aws_secret_key'],
  wpc: ['wpc_api_key', 'wpc_client_id'],
  bucket: ['bucket_name', 'bucket_region', 'bucket_endpoint', 'bucket_access_key', 'bucket_secret_key'],
  github: ['bot_github_name', 'bot_github_email', 'bot_github_org_name', 'bot_github_teams', 'bot_github_token'],
  auth: ['client_id', 'client_secret'],
  slack: ['slack_token'],
} as const

/** Names of `credentialFields`. */
export const credentialGroups = ['digitalocean', 'hetzner', 'aws', 'wpc', 'bucket', 'github', 'auth', 'slack'] as const

/** Fields of the organization that hold credentials: managers do not see even their masks. */
const adminsOnly = {
  read_roles: ['Owner', 'Organization Admin'],
  write_roles: ['Owner', 'Organization Admin'],
  clear_roles: ['Platform Admin'],
} as const

/** What the server makes for them: admins see it (or its mask), nobody writes it. */
const madeForAdmins = { read_roles: adminsOnly.read_roles, server_owned: true } as const

/** The fields a test of a connection looks at, as its arguments: none of them has to be given. */
function typedCredentials(): Record<string, Field> {
  const fields = Object.values(connectionFields).flat()
  return Object.fromEntries(fields.map((name) => [name, name === 'bot_github_teams' ? text() : secret()]))
}

/** A tenant: people, servers and sites that belong together. Its name is the slug, chosen at creation. */
export const OrganizationDoctype = doctype('Organization', {
  module: 'core',
  tenant: { kind: 'organization' },
  area: 'organization',
  naming: 'field:slug',
  title_field: 'title',
  plural: 'Organizations',
  fields: {
    title: data({ reqd: true, length: 80, in_list_view: true }),
    slug: data({ reqd: true, format: 'slug', length: 32, set_only_once: true }),
    is_default_slug: check({ read_only: true }),
    enabled: check({ default: 1, read_only: true }),
    _owner: link('User', { label: 'Owner', server_owned: true }),
    new_owner: link('User', { server_owned: true }),
    members: table<OrganizationMember>('Organization Member', { server_owned: true, area: 'members' }),
    plan: select(planNames, { default: 'Free', server_owned: true, in_list_view: true }),
    module_ee: check({ default: 1, label: 'EasyEngine', read_only: true }),
    module_wpc: check({ default: 0, label: 'WP Cloud', read_only: true }),
    local_engine: check({ default: 0, server_owned: true, label: 'Local engine granted' }),
    site_limit_override: data({ server_owned: true, hidden: true }),
    server_limit_override: data({ server_owned: true, hidden: true }),
    /** Quotas of its sites that the platform admin granted in place of those of the kinds of sites. */
    site_quota_overrides: json<QuotaOverrides>({ server_owned: true, hidden: true }),
    client_id: data({ ...adminsOnly }),
    client_secret: secret({ ...adminsOnly }),
    do_token: secret({ ...adminsOnly, label: 'DigitalOcean token' }),
    hcloud_token: secret({ ...adminsOnly, label: 'Hetzner Cloud token' }),
    aws_access_key: secret({ ...adminsOnly, label: 'AWS access key' }),
    aws_secret_key: secret({ ...adminsOnly, label: 'AWS secret key' }),
    wpc_api_key: secret({ ...adminsOnly, label: 'WP Cloud API key' }),
    wpc_client_id: data({ ...adminsOnly, label: 'WP Cloud client ID' }),
    bucket_name: data({ ...adminsOnly }),
    bucket_region: data({ ...adminsOnly }),
    bucket_endpoint: data({ ...adminsOnly, format: 'url' }),
    bucket_access_key: secret({ ...adminsOnly }),
    bucket_secret_key: secret({ ...adminsOnly }),
    default_authorized_keys: text({ ...adminsOnly }),
    bot_github_name: data({ ...adminsOnly, label: 'GitHub bot name' }),
    bot_github_email: data({ ...adminsOnly, format: 'email', label: 'GitHub bot email' }),
    bot_github_org_name: data({ ...adminsOnly, label: 'GitHub organization' }),
    bot_github_teams: text({ ...adminsOnly, label: 'GitHub teams' }),
    bot_github_token: secret({ ...adminsOnly, label: 'GitHub bot token' }),
    slack_token: secret({ ...adminsOnly, label: 'Slack bot token' }),
    slack_channel: data({ ...adminsOnly, length: 80, label: 'Slack channel' }),
    slack_on_failure: check({ ...adminsOnly, default: 1, label: 'Something failed' }),
    slack_on_sites: check({ ...adminsOnly, default: 1, label: 'Sites were created, archived or restored' }),
    slack_on_people: check({ ...adminsOnly, label: 'Members joined, left or got another role' }),
    slack_on_settings: check({ ...adminsOnly, label: 'Settings, keys or the plan changed' }),
    /** The last entry of the activity log that was looked at for Slack: its place in the log. */
    slack_cursor: int({ server_owned: true, hidden: true }),
    /** When credentials were set, and what the last test of them said. */
    connections: json<Connections>({ ...madeForAdmins }),
    deployment_key: secret({ ...madeForAdmins }),
    deployment_key_public: text({ ...adminsOnly, read_only: true }),
    enable_vip_template: check({ server_owned: true, label: 'VIP template' }),
    /** Handed out once by `make_server_access_token`; never stored, only its hash is. */
    server_access_token: secret({ ...madeForAdmins }),
    access_token_sha256_hash: data({ server_owned: true, hidden: true, length: 64 }),
    /** When the access token in use was made; null without one. */
    server_access_token_made: datetime({ ...madeForAdmins }),
  },
  permissions: {
    'Platform Admin': { read: true, write: true },
    Owner: { read: true, write: true, delete: true },
    'Organization Admin': { read: true, write: true },
    // No credentials: each of them names its readers.
    'Organization Manager': { read: true },
    'Organization User': { read: true, fields: ['title', 'slug', 'enabled'] },
    User: { create: true },
  },
  actions: {
    list_invitations: {
      label: 'Invitations',
      allow: {
        'Platform Admin': true,
        Owner: true,
        'Organization Admin': true,
        'Organization Manager': true,
      },
      reads: true,
      tokens: 'members:read',
      returns: z.array(listedInvitation),
      hidden: true,
    },
    list_members: {
      label: 'Members',
      // Which rows, the member rows' own rules say: a plain member gets the own one.
      allow: {
        'Platform Admin': true,
        Owner: true,
        'Organization Admin': true,
        'Organization Manager': true,
        'Organization User': true,
      },
      reads: true,
      tokens: 'members:read',
      returns: z.array(memberSchema),
      hidden: true,
    },
    candidates_for_change_owner: {
      label: 'Possible owners',
      allow: { Owner: true },
      reads: true,
      tokens: 'members:read',
      returns: z.array(z.object({ user: person, full_name: z.nullable(person) })),
      hidden: true,
    },
    transfer_ownership: {
      label: 'Hand over',
      allow: { Owner: true },
      args: { new_owner: link('User', { reqd: true, label: 'New owner' }) },
      rights_of: ['new_owner', '$user'],
      confirm: 'The new owner decides about plan, modules and the end of the organization. You stay an admin.',
      reauth: true,
      returns: z.object({ owner: person }),
      danger: true,
    },
    leave: {
      label: 'Leave organization',
      // The owner is an admin, too, but has to hand over first: the member row refuses.
      allow: { 'Organization Admin': true, 'Organization Manager': true, 'Organization User': true },
      confirm: 'You lose access at once. Sites you created stay in the organization.',
      danger: true,
      tokens: false,
      rights_of: ['$user'],
      returns: nothing,
    },
    delete_organization: {
      label: 'Delete organization',
      allow: { Owner: true },
      rights_of: ['$members'],
      confirm: 'Members, invitations, settings and keys are removed. The activity log is kept.',
      confirm_field: 'slug',
      reauth: true,
      returns: nothing,
      danger: true,
    },
    set_modules: {
      label: 'Modules',
      allow: { Owner: true, 'Platform Admin': true },
      args: {
        ee: int({ min: 0, max: 1, label: 'EasyEngine', description: '1 on, 0 off; left out: as it is.' }),
        wpc: int({ min: 0, max: 1, label: 'WP Cloud', description: '1 on, 0 off; left out: as it is.' }),
      },
      returns: z.object({ ee: z.boolean(), wpc: z.boolean() }),
      hidden: true,
    },
    make_server_access_token: {
      label: 'Make access token',
      allow: { Owner: true, 'Organization Admin': true },
      confirm: 'An earlier access token stops working.',
      reauth: true,
      returns: z.object({
        server_access_token: described(z.string(), 'Shown this one time'),
        server_access_token_made: timestamp,
      }),
    },
    revoke_server_access_token: {
      label: 'Revoke access token',
      allow: { Owner: true, 'Organization Admin': true },
      confirm: 'Servers that use the access token cannot sign in with it any more.',
      returns: nothing,
      danger: true,
    },
    test_connection: {
      label: 'Test connection',
      allow: { Owner: true, 'Organization Admin': true },
      // Credentials that are given are tested without being stored.
      args: { connection: select(connectionNames, { reqd: true }), ...typedCredentials() },
      hidden: true,
      returns: connectionCheckSchema,
    },
    clear_credentials: {
      label: 'Remove credentials',
      allow: { Owner: true, 'Organization Admin': true, 'Platform Admin': true },
      args: { credentials: select(credentialGroups, { reqd: true }) },
      confirm: 'What uses them stops working until new ones are set.',
      returns: nothing,
      danger: true,
    },
  },
})

/** An organization document. */
export type Organization = Doc<typeof OrganizationDoctype>
