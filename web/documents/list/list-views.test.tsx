import { act, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ListViews, shownView } from './list-views.tsx'
import type { ListView } from '../query/saved-views.ts'
import type { SavedListView } from '../query/saved-views.ts'

const api = apiServer()

const view = (at: number, mine: boolean): SavedListView => ({
  key: `view-${at}`,
  label: `View ${at}`,
  filters: [['title', '=', String(at)]],
  mine,
  shared: !mine,
  by: 'Mallory',
})

it('counts the user’s own views and only some of other users’ views, to limit the number of requests', async () => {
  api.on('frappe.client.get_count', () => ({ message: 7 }))
  const saved = [...Array.from({ length: 120 }, (_, at) => view(at, false)), view(500, true)]
  renderAs(
    owner,
    <ListViews
      type={SiteDoctype}
      views={[]}
      saved={saved}
      canSave={false}
      scope={[]}
      state={{
        filters: [['title', '=', '100']],
        text: '',
        order: { field: 'creation', direction: 'desc' },
        page: 1,
        pageSize: 20,
      }}
      visible={[]}
      onChange={() => undefined}
    />,
  )
  expect(screen.getAllByText(/^View \d+/).length).toBeGreaterThanOrEqual(121)
  // Ten of other users, the active one, and the user's own.
  await waitFor(() => expect(screen.getAllByText('7')).toHaveLength(12))
  await act(async () => undefined)
  expect(api.calls).toHaveLength(12)
})

describe('the active view', () => {
  const creation = { field: 'creation', direction: 'desc' } as const
  const state = { filters: [], text: '', order: creation, page: 1, pageSize: 20 }
  const all: ListView = { key: 'all', label: 'All', filters: [] }
  const mine = (key: string, columns?: readonly string[], order?: ListView['order']): ListView => ({
    key,
    label: key,
    filters: [],
    ...(columns && { columns }),
    ...(order && { order }),
  })
  const columns = ['domain', 'status', 'php_version'].map((field) => ({ field, label: field }))
  const visible = ['domain', 'php_version']
  const shown = (saved: readonly ListView[], last: string | null = null, more = {}) =>
    shownView([all], saved, { state, visible, columns, ...more }, last)?.key

  it('is the saved view that matches everything shown', () => {
    expect(shown([mine('php', ['domain', 'php_version'], creation)])).toBe('php')
    // The first column is always on, and columns the user can't have make no difference.
    expect(shown([mine('php', ['php_version', 'server_key'], creation)])).toBe('php')
    expect(shown([mine('loose')])).toBe('loose')
  })

  it('is the page’s own if the saved view has other columns or another order', () => {
    expect(shown([mine('php', ['domain', 'status'], creation)])).toBe('all')
    expect(shown([mine('php', undefined, { field: 'domain', direction: 'asc' })])).toBe('all')
    expect(shown([])).toBe('all')
  })

  it('is the last selected one among identical saved views', () => {
    const alike = [mine('one', visible), mine('two', visible)]
    expect(shown(alike)).toBe('one')
    expect(shown(alike, 'two')).toBe('two')
    expect(shown([...alike, mine('other', ['status'])], 'other')).toBe('one')
  })

  it('is none if the list differs from all views', () => {
    expect(shown([mine('php', visible)], 'php', { state: { ...state, text: 'x' } })).toBeUndefined()
  })
})
