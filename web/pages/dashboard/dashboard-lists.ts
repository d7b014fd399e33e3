import type { DoctypeName } from '#shared/doctypes/registry.ts'
import { sitesDown, wpcSiteAttention } from '#shared/rules/site-attention.ts'
import { unhealthyServers } from '#web/features/servers/use-server-problems.ts'
import type { ListOptions } from '#web/lib/api/wire-address.ts'

/** Lists that the dashboard's summary cards need. */

/** Maximum items in the card; beyond that, use the list. */
export const maxItems = 50

const stopped = [['status', 'in', ['Failed', 'Suspended']]] as const
/** Sites that someone or their quota stopped. */
export const suspended = [['status', '=', 'Suspended']] as const
/** Sites whose WordPress files differ from the official release. */
export const modified = [
  ['status', '=', 'Live'],
  ['health', '!=', 'Down'],
  ['wordpress_checksum', '=', 'Modified'],
] as const
/** Sites whose WordPress needs attention, and nothing more urgent does. */
export const unwell = [
  ['status', '=', 'Live'],
  ['health', '!=', 'Down'],
  ['wordpress_checksum', '!=', 'Modified'],
  ['wordpress_health', '=', 'Needs Attention'],
] as const
/** Servers in use. */
export const inUse = [['status', '!=', 'Decommissioned']] as const

const siteFields = [
  'name',
  // The gates of what helps read these four.
  'owner',
  'server',
  'locked_by_job',
  'suspended_at',
  'domain',
  'title',
  'status',
  'health',
  'failure_reason',
  'failure_reason_i18n',
  'modified',
  'failure_since',
  'wordpress_checksum',
  'wordpress_health',
  'wordpress_problem',
] as const
const serverFields = ['name', 'owner', 'hostname', 'status', 'modified', 'locked_by_job'] as const

const sites = (filters: NonNullable<ListOptions['filters']>): ListOptions<(typeof siteFields)[number]> => ({
  fields: siteFields,
  filters,
  order_by: 'modified asc',
  limit: maxItems,
})

const unhealthy = <const F extends string>(fields: readonly F[]): ListOptions<F> => ({
  fields,
  filters: unhealthyServers,
  limit: maxItems,
})

/** The lists by name. */
export const dashboardLists = {
  stoppedSites: ['Site', sites(stopped)],
  downSites: ['Site', sites(sitesDown)],
  modifiedSites: ['Site', sites(modified)],
  unwellSites: ['Site', sites(unwell)],
  /** If the module of WP Cloud is on. */
  wpcSites: [
    'WPC Site',
    {
      fields: ['name', 'domain', 'status', 'failure_reason', 'failure_reason_i18n', 'failure_since', 'modified'],
      filters: wpcSiteAttention,
      order_by: 'modified asc',
      limit: maxItems,
    },
  ],
  recentJobs: [
    'Job',
    {
      fields: ['name', 'label', 'reference_title', 'status', 'ended'],
      filters: [['ended', 'is', 'set']],
      order_by: 'ended desc',
      limit: 5,
    },
  ],
  /** If the servers module is on. */
  unhealthyServers: ['Server', unhealthy(serverFields)],
  /** The same for those who can read why. */
  unhealthyServersWithReason: [
    'Server',
    unhealthy([...serverFields, 'failure_reason', 'failure_reason_i18n', 'failure_since']),
  ],
  /** Members can't read disk usage. */
  fullestServers: [
    'Server',
    {
      fields: [...serverFields, 'disk', 'disk_free'],
      filters: [['status', '=', 'Healthy']],
      order_by: 'disk_free asc',
      limit: maxItems,
    },
  ],
} as const satisfies Record<string, readonly [doctype: DoctypeName, options: ListOptions]>
