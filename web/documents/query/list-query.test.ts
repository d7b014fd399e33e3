import { describe, expect, it } from 'vitest'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { describeFilter, formatRange } from './list-query.ts'
import { listFields, listRequest, textFilters, wireFilter } from './list-request.ts'
import { listDefaults } from './list-state.ts'

const state = { ...listDefaults(SiteDoctype), text: '', page: 1 }

describe('list request', () => {
  it('orders groups first, and rows of a group as the list', () => {
    expect(listRequest(SiteDoctype, [], { ...state, group: 'client' }).order_by).toBe(
      'client asc, attention desc, creation desc',
    )
  })

  it('requests the current page', () => {
    const request = listRequest(SiteDoctype, ['domain', 'status'], {
      ...state,
      page: 3,
      pageSize: 50,
      order: { field: 'domain', direction: 'asc' },
    })
    expect(request).toMatchObject({
      order_by: 'domain asc',
      limit: 50,
      start: 100,
      filters: [['status', '!=', 'Archived']],
      or_filters: [],
    })
  })

  it('includes the titles of linked documents, and always name and title', () => {
    expect(listFields(SiteDoctype, ['server'])).toEqual([
      ...['name', 'domain', 'title', 'server', 'server.hostname as server_title'],
    ])
    expect(listFields(ServerDoctype, ['_owner'])).toContain('_owner.full_name as _owner_title')
  })

  it('requests under the key of a title once: what a column asks for', () => {
    const asked = 'site.title as site_title'
    for (const columns of [
      ['site', asked],
      [asked, 'site'],
    ])
      expect(listFields(SiteBackupDoctype, columns).filter((field) => field.endsWith(' as site_title'))).toEqual([
        asked,
      ])
  })

  it('searches the title and search fields for free text', () => {
    expect(textFilters(SiteDoctype, '  blog ')).toEqual([
      ['domain', 'like', '%blog%'],
      ['title', 'like', '%blog%'],
      ['usr_alias_domains', 'like', '%blog%'],
    ])
    expect(textFilters(SiteDoctype, '   ')).toEqual([])
  })

  it('keeps wildcards typed by the user', () => {
    expect(wireFilter(['domain', 'like', 'blog'])).toEqual(['domain', 'like', '%blog%'])
    expect(wireFilter(['domain', 'not like', 'blog%'])).toEqual(['domain', 'not like', 'blog%'])
    expect(wireFilter(['domain', '=', 'blog'])).toEqual(['domain', '=', 'blog'])
  })
})

describe('texts', () => {
  it('describe filters with labels, never with stored keys or ids', () => {
    expect(describeFilter(SiteDoctype, ['site_type', 'in', ['wp', 'html']])).toEqual({
      field: 'Type',
      operator: 'in',
      value: 'WordPress, HTML',
    })
    expect(describeFilter(SiteDoctype, ['server', '=', 'a1b2c3d4e5'], { a1b2c3d4e5: 'this-machine' }).value).toBe(
      'this-machine',
    )
    expect(describeFilter(SiteDoctype, ['wordpress_checksum', '!=', 'Not Checked']).value).toBe('Not checked')
  })

  it('show the range', () => {
    expect(formatRange({ page: 1, pageSize: 20 }, 20, '143')).toBe('1–20 of 143')
    expect(formatRange({ page: 8, pageSize: 20 }, 3, '143')).toBe('141–143 of 143')
    expect(formatRange({ page: 8, pageSize: 20 }, 1, '141')).toBe('141 of 141')
    expect(formatRange({ page: 1, pageSize: 20 }, 0, '0')).toBe('0 of 0')
  })
})
