/** What the gallery takes screenshots of: the screens of the route table, as the people of the demo see them. */

/** Somebody of the demo; null is signed out. */
export const people = {
  guest: null,
  owner: 'owner@acme.example',
  admin: 'admin@acme.example',
  manager: 'manager@acme.example',
  member: 'member@acme.example',
  newcomer: 'nobody@example.com',
  unverified: 'unverified@example.com',
  platform: 'root@easydash.example',
} as const

/** Name of one of them. */
export type Role = keyof typeof people

/** One screen. */
export interface Screen {
  /** Of the screenshot’s file. */
  name: string
  /** Below /web; `{site}`, `{server}` and `{bulk}` stand for the demo's first ones. */
  path: string
  roles: readonly Role[]
  /** Image of the mockups it is put beside, without theme and ending. */
  mockup?: string
  /** Keys that open what belongs to the screenshot. */
  keys?: string
  /** Beginning of the name of a button that opens it. */
  press?: string
}

const inside = ['owner', 'admin', 'manager', 'member'] as const
const managers = ['owner', 'admin', 'manager'] as const
const admins = ['owner', 'admin'] as const
const tabs = (path: string, roles: readonly Role[], names: readonly string[]): Screen[] =>
  names.map((tab) => ({
    name: `${path.slice(1).replaceAll(/[{}]/g, '').replaceAll('/', '-')}-${tab}`,
    path: `${path}#${tab}`,
    roles,
  }))

/** Every screen. */
export const screens: readonly Screen[] = [
  { name: 'login', path: '/login', roles: ['guest'], mockup: 'login' },
  { name: 'signup', path: '/signup', roles: ['guest'] },
  { name: 'forgot-password', path: '/forgot-password', roles: ['guest'] },
  { name: 'reset-password', path: '/reset-password?key=old', roles: ['guest'] },
  { name: 'invitation', path: '/invitation?token=old', roles: ['guest', 'member'] },
  { name: 'sso', path: '/sso', roles: ['guest'] },
  { name: 'sso-unknown', path: '/sso/no-such-key', roles: ['guest'] },
  { name: 'terms', path: '/terms', roles: ['guest'] },
  { name: 'verify-email', path: '/verify-email', roles: ['unverified'] },
  { name: 'organization-create', path: '/organization/create', roles: ['newcomer', 'owner'] },
  { name: 'dashboard', path: '/', roles: inside, mockup: 'dashboard' },
  { name: 'sites', path: '/site', roles: inside, mockup: 'sites' },
  { name: 'site-create', path: '/site/create', roles: inside, mockup: 'site-create' },
  { name: 'backups', path: '/site/backups', roles: ['owner', 'member'] },
  { name: 'wp-cloud', path: '/site/wp-cloud', roles: ['owner', 'member'] },
  { name: 'wp-cloud-create', path: '/site/create?where=wp-cloud', roles: ['owner'] },
  { name: 'site', path: '/site/{site}', roles: inside, mockup: 'site-overview' },
  { name: 'site-configurations', path: '/site/{site}#configurations', roles: ['owner', 'member'] },
  { name: 'site-backups', path: '/site/{site}#backupandrestore', roles: ['owner', 'member'], mockup: 'site-backups' },
  { name: 'site-activities', path: '/site/{site}#activities', roles: ['owner', 'member'] },
  { name: 'site-monitoring', path: '/site/{site}#monitoring', roles: ['owner', 'member'] },
  { name: 'site-wordpress', path: '/site/{site}#wordpress', roles: ['owner'] },
  { name: 'site-logs', path: '/site/{site}#logs', roles: ['owner'] },
  { name: 'site-mail', path: '/site/{site}?log=mail#logs', roles: ['owner'] },
  { name: 'site-database', path: '/site/{site}?table=wp_posts#database', roles: ['owner'] },
  { name: 'site-files', path: '/site/{site}#files', roles: ['owner', 'member'] },
  { name: 'site-staging', path: '/site/{site}#staging', roles: ['owner', 'member'] },
  { name: 'servers', path: '/server', roles: inside, mockup: 'servers' },
  { name: 'server-create', path: '/server/create', roles: admins, mockup: 'server-create' },
  { name: 'server', path: '/server/{server}', roles: managers },
  { name: 'server-configurations', path: '/server/{server}#configurations', roles: managers },
  { name: 'server-ssh', path: '/server/{server}#ssh', roles: managers },
  { name: 'server-monitoring', path: '/server/{server}#monitoring', roles: managers },
  { name: 'server-activities', path: '/server/{server}#activities', roles: managers },
  { name: 'job-list', path: '/job', roles: inside },
  { name: 'notifications', path: '/notification', roles: inside },
  { name: 'bulk', path: '/bulk/{bulk}', roles: ['owner'] },
  { name: 'users', path: '/user', roles: managers, mockup: 'users-plain' },
  { name: 'users-invite', path: '/user?invite=1', roles: ['owner', 'manager'], mockup: 'users' },
  ...tabs('/user/{me}', inside, ['personal-info', 'settings']),
  { name: 'user-rolesandpermission', path: '/user/member%40acme.example#rolesandpermission', roles: admins },
  ...tabs('/organization', admins, ['slack', 'github', 'backup_providers', 'auth', 'ssh', 'activities']),
  { name: 'organization-overview', path: '/organization', roles: admins },
  {
    name: 'organization-cloud_providers',
    path: '/organization#cloud_providers',
    roles: admins,
    mockup: 'organization',
  },
  ...tabs('/billing', ['owner'], ['profile', 'purchases', 'invoices', 'payment-methods', 'activities']),
  { name: 'billing-plans', path: '/billing#plans', roles: ['owner'], mockup: 'billing-plans' },
  ...tabs('/platform', ['platform'], ['organizations', 'users', 'plans', 'outbox', 'jobs', 'health']),
  { name: 'search', path: '/', roles: ['owner', 'member'], mockup: 'search', keys: '/' },
  { name: 'search-actions', path: '/site/{site}', roles: ['owner', 'member'], keys: 'Control+k' },
  { name: 'help', path: '/', roles: ['owner'], keys: '?' },
  { name: 'jobs', path: '/', roles: ['owner'], press: 'Jobs' },
  { name: 'sites-no-match', path: '/site?q=nothing-is-called-this', roles: ['owner'] },
  { name: 'sites-import', path: '/site', roles: ['owner'], press: 'Import' },
  { name: 'site-share', path: '/site/{site}', roles: ['owner'], press: 'Share' },
  { name: 'site-delete', path: '/site/{site}', roles: ['owner'], press: 'Archive' },
  { name: 'site-gone', path: '/site/nowhere000', roles: ['owner'] },
  { name: 'token', path: '/user/{me}#settings', roles: ['owner'], press: 'Create a token' },
  { name: 'second-factor', path: '/user/{me}#settings', roles: ['owner'], press: 'Set up' },
  { name: 'owner-change', path: '/organization', roles: ['owner'], press: 'Transfer ownership' },
  { name: 'organization-delete', path: '/organization', roles: ['owner'], press: 'Delete organization' },
  { name: 'plan-preview', path: '/billing#plans', roles: ['owner'], press: 'Upgrade' },
  { name: 'plan-cancel', path: '/billing#plans', roles: ['owner'], press: 'Cancel plan' },
  { name: 'not-found', path: '/no/such/page', roles: ['owner', 'guest'] },
]
