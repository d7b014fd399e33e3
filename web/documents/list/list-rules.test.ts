/** Rules of lists in docs/contracts/screens.md, section 9: filterable fields, default filters. */
import { expect, test } from 'vitest'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { fieldTitle } from '../query/list-query.ts'
import { filterFields, listDefaults } from '../query/list-state.ts'

test('sites are filtered by these fields, and archived ones are hidden', () => {
  // In the specification's order; labels and favorites are ours.
  const specified = ['domain', 'status', 'server', 'site_type', 'wordpress_checksum', 'createdby_email']
  expect(filterFields(SiteDoctype)).toEqual([
    ...specified,
    'php_version',
    'wordpress_version',
    'client',
    'project',
    'wordpress_health',
    'favorite',
    'backup_at',
    'backup_proof',
    'backup_failed_at',
  ])
  expect(fieldTitle(SiteDoctype, 'createdby_email')).toBe('Owner')
  expect(listDefaults(SiteDoctype).filters).toEqual([['status', '!=', 'Archived']])
})

test('servers are filtered by these fields, and decommissioned ones are hidden', () => {
  const specified = ['status', 'hostname', 'server_category', 'cloud_provider', 'cpu', 'ram', 'disk', '_owner']
  expect(filterFields(ServerDoctype)).toEqual([...specified, 'favorite'])
  expect(listDefaults(ServerDoctype).filters).toEqual([['status', '!=', 'Decommissioned']])
})
