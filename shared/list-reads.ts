import type { Doctype } from './doctype.ts'
import { ServerType } from './doctypes/server.ts'
import { SiteType } from './doctypes/site.ts'
import { usualPageSize, type ListOptions } from './wire-address.ts'

/** What the pages of lists read at first: by the app, or before that by the page. */

const gateFields = ['owner', 'locked_by_job', 'locked_by_job.label as locked_by_job_title']

/** Fields of all columns, of those too that are off, and what the gates of a row's actions need; for managers and up. */
const siteFields = [
  'name',
  'domain',
  'usr_alias_domains',
  'thumbnail',
  'thumbnail_taken',
  'favorite',
  'status',
  'health',
  'server',
  'server.hostname as server_title',
  'server.vm_country as server_country',
  'site_type',
  'wordpress_version',
  'php_version',
  'wordpress_checksum',
  'disk_used',
  'disk_used_at_least',
  'createdby_email',
  'creation',
  ...gateFields,
]
const serverFields = [
  'name',
  'hostname',
  'favorite',
  'status',
  'server_category',
  'cloud_provider',
  'engine',
  'vm_region',
  'vm_country',
  'cpu',
  'ram',
  'disk',
  'disk_free',
  'public_ipv4',
  'pending_updates',
  'security_updates',
  '_owner',
  '_owner.full_name as _owner_title',
  'creation',
  ...gateFields,
]

function firstRows(type: Doctype, fields: readonly string[]): [doctype: string, options: ListOptions] {
  const { filters = [], order_by } = type.list ?? {}
  return [type.name, { fields, filters, limit: usualPageSize, ...(order_by !== undefined && { order_by }) }]
}

/** By their paths below `/web`: the first rows, where neither the address nor the person's account says anything else. */
export const pageLists = {
  '/site': firstRows(SiteType, siteFields),
  '/server': firstRows(ServerType, serverFields),
} as const
