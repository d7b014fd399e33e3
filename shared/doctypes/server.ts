import { doctype, type Doc } from '../doctype.ts'
import { revealAction } from '../reveal-action.ts'
import type { MessageDescriptor } from '../localized-message.ts'
import { check, data, datetime, float, int, json, link, revealable, secret, select, text } from '../fields.ts'
import { engineNames } from '../rules/engines.ts'
import { serverRangeKeys } from '../rules/metric-ranges.ts'
import { serverOperations, type ServerFirewall } from './server-operations.ts'

/** States of a server. Clients depend on these values. */
export const serverStatuses = [
  'Provisioning',
  'Setting Up',
  'Rebooting',
  'Healthy',
  'Degraded',
  'Disconnected',
  'Failed',
  'Decommissioning',
  'Decommissioned',
] as const

/** States of servers that need attention. */
export const unhealthyServerStatuses = ['Degraded', 'Disconnected', 'Failed'] as const satisfies readonly ServerStatus[]
/** Those of them that do not serve their sites. */
export const brokenServerStatuses = ['Disconnected', 'Failed'] as const satisfies readonly ServerStatus[]

type ServerStatus = (typeof serverStatuses)[number]

/** Where servers come from (docs/contracts/screens.md, section 9). */
export const cloudProviders = ['Hetzner', 'AWS', 'DigitalOcean', 'Custom'] as const

/** Categories of a server. Members can only see development servers. */
export const serverCategories = ['development', 'production'] as const

/** List columns: the fields members can see of a development server. */
export const serverListFields = [
  'hostname',
  'status',
  'server_category',
  'cloud_provider',
  'cpu',
  'ram',
  'disk',
] as const

const measured = { read_only: true, server_owned: true } as const
const listed = { in_list_view: true, in_standard_filter: true } as const

/**
 * Properties a machine was ordered with. Set once: later changes are made on the machine (resize), not by editing the row.
 */
const ordered = { set_only_once: true } as const

/** Fields of a server with what its provider says instead. */
export type ServerDrift = Readonly<Partial<Record<'vm_type' | 'public_ipv4' | 'public_ipv6', string>>>

/** A machine that runs sites. */
export const ServerDoctype = doctype('Server', {
  module: 'ee',
  tenant: { kind: 'link', field: 'organization' },
  area: 'servers',
  attachments: true,
  activity_readers: ['Organization Manager'],
  page: '/server',
  plan_limit: { resource: 'server', except: 'Decommissioned' },
  naming: 'random',
  title_field: 'hostname',
  plural: 'Servers',
  fields: {
    organization: link('Organization', { reqd: true, set_only_once: true }),
    hostname: data({ ...listed, reqd: true, format: 'visible', length: 253, search_index: true }),
    status: select(serverStatuses, {
      ...measured,
      default: 'Provisioning',
      in_list_view: true,
      in_standard_filter: true,
    }),
    engine: select(engineNames, { read_only: true, default: 'ee' }),
    /** Machine that several Server rows can share (local engine): domains are unique on it. */
    engine_host: data({ server_owned: true, hidden: true }),
    /** What the machine calls itself: people rename servers, and give several machines the same host name. */
    machine_hostname: data({ server_owned: true, hidden: true, length: 253 }),
    server_category: select(serverCategories, {
      default: 'development',
      in_list_view: true,
      in_standard_filter: true,
      label: 'Category',
    }),
    cloud_provider: select(cloudProviders, {
      ...ordered,
      default: 'Custom',
      in_list_view: true,
      in_standard_filter: true,
      label: 'Provider',
    }),
    /** Whose account it was ordered in; the default one of the provider if none was named. */
    connection: link('Connection', { ...ordered, read_roles: ['Owner', 'Organization Admin'] }),
    vm_country: data({ ...ordered }),
    vm_region: data({ ...ordered }),
    vm_type: data({ ...ordered }),
    vm_image: data({ ...ordered }),
    vm_ebs_size: int({ ...ordered, default: 40, min: 8, max: 16_384 }),
    plan: data({ ...ordered }),
    public_ipv4: data({ format: 'ipv4', in_list_view: true }),
    private_ipv4: data({ format: 'ipv4' }),
    public_ipv6: data({ format: 'ipv6' }),
    private_ipv6: data({ format: 'ipv6' }),
    floating_ip: data({ format: 'ip' }),
    /** How our own engines connect to it: with its own key, else with that of the installation. Keys never leave the server side. */
    ssh_user: data({ ...ordered, default: 'root', format: 'username' }),
    ssh_port: int({ ...ordered, default: 22, min: 1, max: 65_535, label: 'SSH port' }),
    /** Of the host key: what somebody confirmed, or what a rented machine was set up with. Without it no key is accepted. */
    host_key: data({ ...ordered, length: 60, label: 'Fingerprint' }),
    ssh_private_key: secret({ server_owned: true, hidden: true }),
    /** The only host key that is accepted, as in `known_hosts`: `ssh-ed25519 AAAA…`. */
    ssh_host_key: data({ server_owned: true, hidden: true, length: 2_000 }),
    /** The pair that a machine is known by at the first contact, until it has made its own. */
    first_host_key: secret({ server_owned: true, hidden: true }),
    /** Id of the machine at its provider. */
    provider_id: data({ ...measured, label: 'Id at the provider' }),
    price_monthly: data({ ...measured, label: 'Price per month' }),
    price_hourly: data({ ...measured, label: 'Price per hour' }),
    price_currency: data({ ...measured, length: 3, label: 'Currency' }),
    is_imported_with_ee: check({ ...ordered }),
    /** What EasyEngine calls sites that the import left out, because their names or kinds are not known here. */
    left_out_sites: json<readonly string[]>({ ...measured, label: 'Sites that were left out' }),
    public_ipv4_server_import: data({ ...ordered, format: 'ipv4' }),
    _owner: link('User', { label: 'Owner', read_only: true, in_standard_filter: true }),
    ed_status: data({ ...measured }),
    processor: data({ ...measured }),
    cpu: int({ ...measured, in_list_view: true, in_standard_filter: true, label: 'CPU' }),
    ram: float({ ...measured, in_list_view: true, in_standard_filter: true, label: 'RAM', description: 'Bytes' }),
    disk: float({ ...measured, in_list_view: true, in_standard_filter: true, description: 'Bytes' }),
    disk_free: float({ ...measured }),
    timezone: data({ ...measured, label: 'Time zone' }),
    total_swap: float({ ...measured, label: 'Swap' }),
    /** Whether it installs security updates by itself. */
    automatic_updates: check({ ...measured, label: 'Automatic updates' }),
    /** Null until it was read. */
    firewall: json<ServerFirewall>({ ...measured }),
    /** Of the newest sample (`metrics_at`), which lists show. Written without an event. */
    cpu_percent: float({ ...measured, label: 'CPU usage' }),
    memory_percent: float({ ...measured, label: 'RAM usage' }),
    disk_percent: float({ ...measured, label: 'Disk usage' }),
    load_1: float({ ...measured, label: 'Load average' }),
    metrics_at: datetime({ ...measured, label: 'Last sample' }),
    /** Whether an agent sends its samples; those of other servers are read by SSH. */
    metrics_agent: check({ ...measured }),
    /** What its provider says otherwise: it was changed there. */
    drift: json<ServerDrift>({ ...measured }),
    os: data({ ...measured, label: 'OS' }),
    kernel: data({ ...measured }),
    docker: data({ ...measured }),
    docker_compose: data({ ...measured }),
    python: data({ ...measured }),
    easyengine: data({ ...measured, label: 'EasyEngine' }),
    /** What decides what its engine can do there (`ServerRef.facts`). */
    facts: json<Record<string, unknown>>({ server_owned: true, hidden: true }),
    /** Boot time of the machine; the page computes the uptime from it. */
    booted_at: datetime({ ...measured }),
    uptime: data({ ...measured }),
    checked_at: datetime({ ...measured, label: 'Last contact' }),
    /** Why its status is Degraded, Disconnected or Failed, and what to do. */
    failure_reason: data({ ...measured, length: 500 }),
    failure_reason_i18n: json<MessageDescriptor>({ ...measured }),
    failure_since: datetime({ ...measured, label: 'Since' }),
    pending_updates: int({ ...measured }),
    /** Null until it was read. */
    security_updates: int({ ...measured, in_list_view: true }),
    locked_by_job: link('Job', { ...measured }),
    favorite: check({ server_owned: true, personal: true, label: 'Favorite' }),
    authorized_keys: text({
      read_roles: ['Owner', 'Organization Admin'],
      write_roles: ['Owner', 'Organization Admin'],
    }),
    randomised_http_auth: revealable({ read_roles: ['Owner', 'Organization Admin'], label: 'HTTP auth password' }),
    default_site_username: data({ read_only: true, label: 'Site username' }),
    default_site_password: revealable({ read_roles: ['Owner', 'Organization Admin'], label: 'Site password' }),
  },
  list: {
    filters: [['status', '!=', 'Decommissioned']],
    order_by: 'creation desc',
    filter_fields: ['status', 'hostname', 'server_category', 'cloud_provider', 'cpu', 'ram', 'disk', '_owner'],
  },
  // Names are how people tell servers apart, in lists and where they type one to confirm.
  indexes: [{ fields: ['organization', 'hostname'], unique: true, where: "status is distinct from 'Decommissioned'" }],
  // New sites need a server that works and that no job is changing.
  link_filters: {
    Site: [
      ['status', '=', 'Healthy'],
      ['locked_by_job', 'is', 'not set'],
    ],
  },
  // A clone needs the engine of its site, which its readers know, an import one that reads its archive.
  link_filter_fields: { Site: ['engine'] },
  permissions: {
    'Platform Admin': { read: true },
    Owner: { read: true, create: true, write: true, delete: true },
    'Organization Admin': { read: true, create: true, write: true, delete: true },
    'Organization Manager': { read: true },
    'Organization User': {
      read: {
        any: [
          ['server_category', '=', 'development'],
          { linked_from: { doctype: 'Site', field: 'server' }, matches: { shared: 'read' } },
        ],
      },
      fields: serverListFields,
    },
  },
  actions: {
    ...serverOperations,
    refresh_facts: {
      label: 'Refresh metrics',
      phrase: 'Refresh the metrics of {title}',
      activity: 'measured the server',
      allow: { Owner: true, 'Organization Admin': true, 'Organization Manager': true },
      from: ['Healthy', 'Degraded', 'Disconnected'],
      capability: 'facts',
    },
    get_metrics: {
      label: 'Show graphs',
      allow: { 'Platform Admin': true, Owner: true, 'Organization Admin': true, 'Organization Manager': true },
      args: { range: select(serverRangeKeys, { default: '24h', label: 'Range' }) },
      reads: true,
      returns: 'ServerMetrics',
      while_locked: true,
      hidden: true,
    },
    get_costs: {
      label: 'Show costs',
      allow: { Owner: true, 'Organization Admin': true, 'Organization Manager': true },
      reads: true,
      returns: 'ServerCosts',
      while_locked: true,
      hidden: true,
    },
    get_monitoring: {
      label: 'Show monitoring',
      allow: { Owner: true, 'Organization Admin': true, 'Organization Manager': true },
      from: ['Rebooting', 'Healthy', 'Degraded', 'Disconnected'],
      reads: true,
      returns: 'ServerMonitoring',
      while_locked: true,
      hidden: true,
    },
    get_alerts: {
      label: 'Show alert rules',
      allow: { Owner: true, 'Organization Admin': true, 'Organization Manager': true },
      reads: true,
      returns: 'ServerAlerts',
      while_locked: true,
      hidden: true,
    },
    make_metrics_token: {
      label: 'Create metrics token',
      activity: 'created a metrics token',
      allow: { Owner: true, 'Organization Admin': true },
      returns: 'MetricsToken',
      tokens: false,
      while_locked: true,
      hidden: true,
    },
    confirm_host_key: {
      label: 'Confirm fingerprint',
      activity: 'confirmed the host key of the server',
      allow: { Owner: true, 'Organization Admin': true },
      from: ['Provisioning', 'Disconnected', 'Failed'],
      for: ['cloud_provider', '=', 'Custom'],
      while_locked: true,
      args: { fingerprint: data({ reqd: true, length: 60, description: '`SHA256:…`, as `ssh-keygen -l` shows it.' }) },
      returns: 'Nothing',
      hidden: true,
    },
    decommission: {
      label: 'Decommission',
      activity: 'decommissioned the server',
      allow: { Owner: true, 'Organization Admin': true },
      from: ['Healthy', 'Degraded', 'Disconnected', 'Failed'],
      for: ['engine', '!=', 'local'],
      confirm: 'The server is removed from Easydash. This can’t be undone.',
      confirm_field: 'hostname',
      job: true,
      reauth: true,
      danger: true,
      hidden: true,
    },
    reveal: revealAction(
      ['randomised_http_auth', 'default_site_password'],
      { Owner: true, 'Organization Admin': true },
      'revealed a password of the server',
    ),
  },
})

/** A server document. */
export type Server = Doc<typeof ServerDoctype>
