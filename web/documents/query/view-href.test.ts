import { expect, test } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { listDefaults, readListState, writeListState } from './list-state.ts'
import { isSameView, viewHref } from './view-href.ts'
import type { ListView } from './saved-views.ts'

const params = (view: ListView) => new URL(viewHref('/site', view), 'http://x').searchParams
const view = (parts: Partial<ListView>): ListView => ({ key: 'v', label: 'V', filters: [], ...parts })
const down = view({
  filters: [
    ['status', '=', 'Live'],
    ['health', 'in', ['Down', 'Unknown']],
  ],
  order: { field: 'domain', direction: 'asc' },
  columns: ['status', 'server'],
})

test('the list at the URL of a view shows its filters, order and columns', () => {
  const state = readListState(params(down), SiteDoctype, listDefaults(SiteDoctype))
  expect(state).toMatchObject({ filters: down.filters, order: down.order })
  expect(params(down).get('columns')).toBe('["status","server"]')
  const any = view({ any: [['status', '=', 'Failed']] })
  expect(readListState(params(any), SiteDoctype, listDefaults(SiteDoctype))).toMatchObject({
    filters: [],
    any: any.any,
  })
})

test('a view without filters shows all rows, not the default ones', () => {
  expect(readListState(params(view({})), SiteDoctype, listDefaults(SiteDoctype)).filters).toEqual([])
})

test('the current view is known by what the list shows, however its URL was written', () => {
  const defaults = listDefaults(SiteDoctype)
  const shown = readListState(params(down), SiteDoctype, defaults)
  expect(isSameView(SiteDoctype, writeListState(new URLSearchParams(), shown, SiteDoctype, defaults), down)).toBe(true)
  expect(isSameView(SiteDoctype, new URLSearchParams(), down)).toBe(false)
  const typed = writeListState(new URLSearchParams(), { ...shown, text: 'blog' }, SiteDoctype, defaults)
  expect(isSameView(SiteDoctype, typed, down)).toBe(false)
})
