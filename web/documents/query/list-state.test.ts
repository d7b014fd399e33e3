import { describe, expect, it } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { listDefaults, parseOrder, readListState, sameFilters, writeListState, type ListState } from './list-state.ts'

const defaults = listDefaults(SiteDoctype)
const read = (search: string) => readListState(new URLSearchParams(search), SiteDoctype, defaults)

describe('list state in the URL', () => {
  it('starts with the doctype’s filters and order', () => {
    expect(read('')).toEqual({
      filters: [['status', '!=', 'Archived']],
      text: '',
      order: { field: 'attention', direction: 'desc' },
      page: 1,
      pageSize: 20,
    })
  })

  it('reads filters as [operator, value] pairs, including several of one field', () => {
    const state = read(
      'status=["in",["Live","Failed"]]&php_version=["=","8.4"]&php_version=["!=","8.2"]&q=blog&page=3&page_size=50&order_by=domain+asc',
    )
    expect(state.filters).toEqual([
      ['status', 'in', ['Live', 'Failed']],
      ['php_version', '=', '8.4'],
      ['php_version', '!=', '8.2'],
    ])
    expect(state).toMatchObject({ text: 'blog', page: 3, pageSize: 50, order: { field: 'domain', direction: 'asc' } })
  })

  it('ignores invalid filters: unknown fields, operators, malformed or nested values', () => {
    const state = read(
      'admin_password=["=","x"]&status=["drop","x"]&server=[&site_type=["=",{"a":1}]&php_version=["in","8.4"]&job=abc',
    )
    expect(state.filters).toEqual(defaults.filters)
  })

  it('groups by the fields of the list only', () => {
    expect(read('group=client').group).toBe('client')
    for (const wrong of ['admin_password', 'domain', '', 'x']) expect(read(`group=${wrong}`).group).toBeUndefined()
    const written = writeListState(
      new URLSearchParams('group=client&job=x'),
      read('group=server'),
      SiteDoctype,
      defaults,
    )
    expect(written.toString()).toBe('job=x&group=server')
    expect(writeListState(written, { ...read('group=server'), group: null }, SiteDoctype, defaults).toString()).toBe(
      'job=x',
    )
  })

  it('ignores invalid numbers and orders', () => {
    expect(read('page=-2&page_size=21&order_by=evil();drop')).toMatchObject({
      page: 1,
      pageSize: 20,
      order: defaults.order,
    })
    expect(read('page=abc&order_by=domain sideways')).toMatchObject({ page: 1, order: defaults.order })
  })

  it('keeps that all filters were removed', () => {
    const written = writeListState(new URLSearchParams(), { ...read(''), filters: [] }, SiteDoctype, defaults)
    expect(written.toString()).toBe('filter=none')
    expect(readListState(written, SiteDoctype, defaults).filters).toEqual([])
  })

  it('writes what it reads, keeps other parameters and omits defaults', () => {
    const state: ListState = {
      filters: [
        ['status', 'not in', ['Archived', 'Failed']],
        ['domain', 'like', 'a&b=c'],
      ],
      text: 'x y',
      order: { field: 'domain', direction: 'desc' },
      page: 2,
      pageSize: 100,
    }
    const written = writeListState(
      new URLSearchParams('job=j1&status=["=","Live"]&page=9'),
      state,
      SiteDoctype,
      defaults,
    )
    expect(written.get('job')).toBe('j1')
    expect(readListState(new URLSearchParams(written.toString()), SiteDoctype, defaults)).toEqual(state)
    expect(writeListState(new URLSearchParams('job=j1'), read(''), SiteDoctype, defaults).toString()).toBe('job=j1')
  })
})

describe('order', () => {
  it('accepts one known field with a direction', () => {
    expect(parseOrder('domain', SiteDoctype)).toEqual({ field: 'domain', direction: 'asc' })
    expect(parseOrder('nothing asc', SiteDoctype)).toBeNull()
    expect(parseOrder('domain asc, status', SiteDoctype)).toBeNull()
  })
})

it('compares filters regardless of their order', () => {
  expect(
    sameFilters(
      [
        ['a', '=', 1],
        ['b', '=', 2],
      ],
      [
        ['b', '=', 2],
        ['a', '=', 1],
      ],
    ),
  ).toBe(true)
  expect(sameFilters([['a', '=', 1]], [['a', '!=', 1]])).toBe(false)
  expect(
    sameFilters(
      [['a', '=', 1]],
      [
        ['a', '=', 1],
        ['a', '=', 1],
      ],
    ),
  ).toBe(false)
})
