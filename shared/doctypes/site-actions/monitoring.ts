import { data, select } from '../../fields.ts'
import { longestKeyword } from '../../rules/site-check.ts'
import { uptimeRangeKeys } from '../../rules/uptime.ts'
import { sharedGrants } from './grants.ts'

/** Fields of a site's uptime check. */
export const monitoringFields = {
  /** Text that the homepage has to contain; null: any page without an error is fine. */
  uptime_keyword: data({ read_only: true, server_owned: true, length: longestKeyword, label: 'Keyword' }),
} as const

/** Actions of the uptime check of a site. */
export const monitoringActions = {
  uptime: {
    label: 'Show uptime',
    allow: { 'Platform Admin': true, ...sharedGrants('read') },
    args: { range: select(uptimeRangeKeys, { default: '24h', label: 'Range' }) },
    reads: true,
    returns: 'Uptime',
    while_locked: true,
    hidden: true,
  },
  check_now: {
    label: 'Check now',
    allow: sharedGrants('write'),
    from: ['Live'],
    reads: true,
    keeps: true,
    returns: 'CheckedSite',
    hidden: true,
  },
  set_uptime_keyword: {
    label: 'Keyword of the uptime check',
    activity: 'changed the keyword of the uptime check',
    allow: sharedGrants('write'),
    args: { keyword: data({ length: longestKeyword, label: 'Keyword' }) },
    returns: 'Nothing',
    while_locked: true,
    hidden: true,
  },
} as const
