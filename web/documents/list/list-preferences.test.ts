import { describe, expect, it } from 'vitest'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { listDefaults, readListState, writeListState, type ListState } from '../query/list-state.ts'
import { listPreferences } from './list-preferences.ts'
import { changedFilterPreferences, withListPreference } from './use-list-preferences.ts'

const usual = [['status', '!=', 'Archived']] as const

describe('list preferences of an account', () => {
  it('are columns, status filter and role filter, for each list separately', () => {
    let stored = withListPreference({ theme: 'dark' }, 'Site', { columns: ['status'], status: ['=', 'Live'] })
    stored = withListPreference(stored, 'Organization Member', { role: ['in', ['Organization Admin']] })
    expect(stored['theme']).toBe('dark')
    expect(listPreferences(stored, SiteDoctype)).toEqual({ columns: ['status'], kept: { status: ['=', 'Live'] } })
    expect(listPreferences(stored, OrganizationMemberDoctype)).toEqual({
      kept: { organization_role: ['in', ['Organization Admin']] },
    })
  })

  it('are ignored if malformed', () => {
    for (const broken of [null, 'x', { lists: [] }, { lists: { Site: { columns: [1], status: ['drop', 'x'] } } }])
      expect(listPreferences(broken, SiteDoctype)).toEqual({ kept: {} })
    expect(listPreferences({ lists: { Site: { status: 'none' } } }, SiteDoctype).kept).toEqual({ status: null })
    for (const outdated of [
      ['=', 'Paused'],
      ['not in', ['Live', 'Paused']],
    ])
      expect(listPreferences({ lists: { Site: { status: outdated } } }, SiteDoctype).kept).toEqual({})
    expect(listPreferences({ lists: { Site: { status: ['like', 'Liv'] } } }, SiteDoctype).kept).toEqual({
      status: ['like', 'Liv'],
    })
  })

  it('change with the user’s filter, and are removed when it is the default again', () => {
    expect(changedFilterPreferences(SiteDoctype, usual, [['status', 'in', ['Live', 'Failed']]])).toEqual({
      status: ['in', ['Live', 'Failed']],
    })
    expect(changedFilterPreferences(SiteDoctype, usual, [])).toEqual({ status: 'none' })
    expect(changedFilterPreferences(SiteDoctype, [], usual)).toEqual({ status: undefined })
    expect(changedFilterPreferences(SiteDoctype, usual, [...usual, ['php_version', '=', '8.4']])).toEqual({})
    // Two filters of one field are temporary and not kept.
    expect(changedFilterPreferences(SiteDoctype, usual, [...usual, ['status', '!=', 'Failed']])).toEqual({})
  })
})

describe('a stored filter', () => {
  const defaults = listDefaults(SiteDoctype, { status: ['=', 'Live'] })
  const read = (search: string) => readListState(new URLSearchParams(search), SiteDoctype, defaults)

  it('is the list’s default, unless the URL contains filters', () => {
    expect(read('').filters).toEqual([['status', '=', 'Live']])
    expect(read('status=["!=","Archived"]').filters).toEqual(usual)
    expect(listDefaults(SiteDoctype, { status: null }).filters).toEqual([])
  })

  it('is written into URLs, for users with another default', () => {
    const written = writeListState(new URLSearchParams(), { ...read(''), page: 2 }, SiteDoctype, defaults)
    expect(written.get('status')).toBe('["=","Live"]')
    const toUsual = writeListState(new URLSearchParams(), { ...read(''), filters: usual }, SiteDoctype, defaults)
    expect(read(toUsual.toString()).filters).toEqual(usual)
  })
})

describe('alternatives in the URL', () => {
  const defaults = listDefaults(SiteDoctype)
  const state: ListState = {
    ...readListState(new URLSearchParams(), SiteDoctype, defaults),
    any: [
      ['status', 'in', ['Failed', 'Suspended']],
      ['health', '=', 'Down'],
    ],
  }

  it('are restored along with the filters', () => {
    const written = writeListState(new URLSearchParams('job=j1'), state, SiteDoctype, defaults)
    expect(readListState(new URLSearchParams(written.toString()), SiteDoctype, defaults)).toEqual(state)
    const alone = writeListState(new URLSearchParams(), { ...state, filters: [] }, SiteDoctype, defaults)
    expect(readListState(alone, SiteDoctype, defaults)).toEqual({ ...state, filters: [] })
    expect(writeListState(written, { ...state, any: [] }, SiteDoctype, defaults).toString()).toBe('job=j1')
  })

  it('exclude fields that are not filters of the list', () => {
    const search = new URLSearchParams({
      any: '[["admin_password","=","x"],["status","drop",1],["health","=","Up"],7]',
    })
    expect(readListState(search, SiteDoctype, defaults).any).toEqual([['health', '=', 'Up']])
  })
})

it('reads shared query strings', () => {
  const defaults = listDefaults(SiteDoctype)
  const search = new URLSearchParams('columns=["wordpress_checksum","favorite"]&status=["!=","Archived"]&favorite=1')
  expect(readListState(search, SiteDoctype, defaults).filters).toEqual([
    ['status', '!=', 'Archived'],
    ['favorite', '=', 1],
  ])
})
