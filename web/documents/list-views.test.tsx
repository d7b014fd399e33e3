import { act } from 'react'
import { expect, it, vi } from 'vitest'
import { SiteType } from '#shared/doctypes/site.ts'
import { drawing } from '#web/lib/drawing.ts'
import type * as Data from '#web/lib/frappe.tsx'
import { ListViews } from './list-views.tsx'
import type { SavedListView } from './saved-views.ts'

const page = drawing()

const useCount = vi.hoisted(() => vi.fn((_doctype: string | null) => ({ data: 7 })))
vi.mock('#web/lib/frappe.tsx', async (original) => ({ ...(await original<typeof Data>()), useCount }))
vi.mock('./saved-view-menu.tsx', () => ({ SavedViewMenu: () => null }))

const view = (at: number, mine: boolean): SavedListView => ({
  key: `view-${at}`,
  label: `View ${at}`,
  filters: [['title', '=', String(at)]],
  mine,
  shared: !mine,
  by: 'Mallory',
})

it('counts one’s own views and some of the others’: colleagues do not use up one’s requests', () => {
  const saved = [...Array.from({ length: 120 }, (_, at) => view(at, false)), view(500, true)]
  act(() =>
    page.root.render(
      <ListViews
        type={SiteType}
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
    ),
  )
  expect(page.place.querySelectorAll('button').length).toBeGreaterThanOrEqual(121)
  const asked = useCount.mock.calls.filter(([doctype]) => doctype !== null).length
  // Ten of the others’, the one that is on, and one’s own.
  expect(asked).toBe(12)
})
