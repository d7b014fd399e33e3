import { unfinishedJobs } from '#web/documents/jobs/job-progress.ts'
import type { ListOptions } from '#web/lib/api/wire-address.ts'

/** What the dashboard reads before it can answer its three questions. */

/** More trouble than this is a list, not a card. */
export const mostItems = 50

const stopped = [['status', 'in', ['Failed', 'Suspended']]] as const
/** Sites that do not answer. */
export const down = [
  ['status', '=', 'Live'],
  ['health', '=', 'Down'],
] as const
/** Sites whose WordPress is not as it was released. */
export const modified = [
  ['status', '=', 'Live'],
  ['health', '!=', 'Down'],
  ['wordpress_checksum', '=', 'Modified'],
] as const
/** States of servers that need a look. */
export const unhealthyStatuses = ['Degraded', 'Disconnected', 'Failed']
/** Servers that are there. */
export const inUse = [['status', '!=', 'Decommissioned']] as const

const siteFields = [
  'name',
  'domain',
  'status',
  'health',
  'failure_reason',
  'failure_reason_parts',
  'modified',
  'health_checked_at',
  'wordpress_checksum',
] as const
const serverFields = ['name', 'owner', 'hostname', 'status', 'modified', 'locked_by_job'] as const

/** Documents by the values of a field, the most frequent first. */
export function countedBy(field: string, filters: ListOptions['filters'] = []): ListOptions {
  return { fields: [field, 'count(name) as n'], filters, group_by: field, order_by: 'n desc', limit: 0 }
}

const sites = (filters: NonNullable<ListOptions['filters']>): ListOptions => ({
  fields: siteFields,
  filters,
  order_by: 'modified asc',
  limit: mostItems,
})

/** The lists by what they are asked for. */
export const dashboardLists = {
  siteStates: ['Site', countedBy('status')],
  stoppedSites: ['Site', sites(stopped)],
  downSites: ['Site', sites(down)],
  modifiedSites: ['Site', sites(modified)],
  runningJobs: [
    'Job',
    {
      fields: ['name', 'label', 'status', 'percent', 'steps', 'started', 'ended', 'usual_seconds', 'reference_title'],
      filters: unfinishedJobs,
      order_by: 'creation asc',
      // More than these run one after the other anyway.
      limit: 6,
    },
  ],
  lastJob: [
    'Job',
    {
      fields: ['name', 'label', 'reference_title', 'ended'],
      filters: [['ended', 'is', 'set']],
      order_by: 'ended desc',
      limit: 1,
    },
  ],
  /** Where the module of servers is on. */
  serverStates: ['Server', countedBy('status', inUse)],
  unhealthyServers: [
    'Server',
    { fields: serverFields, filters: [['status', 'in', unhealthyStatuses]], limit: mostItems },
  ],
  /** Members do not read how full a disk is. */
  fullestServers: [
    'Server',
    {
      fields: [...serverFields, 'disk', 'disk_free'],
      filters: [['status', '=', 'Healthy']],
      order_by: 'disk_free asc',
      limit: mostItems,
    },
  ],
} as const satisfies Record<string, readonly [doctype: string, options: ListOptions]>
