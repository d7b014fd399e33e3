import * as Radix from 'radix-ui/dialog'
import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { drawing } from '#web/lib/browser/drawing.ts'
import { MemoryRouter } from 'react-router'
import { SearchPanel } from './search-panel.tsx'
import type { Groups } from './use-groups.tsx'

const page = drawing()

const { useGroups } = vi.hoisted(() => ({ useGroups: vi.fn<() => Groups>() }))
vi.mock('./use-groups.tsx', () => ({ useGroups }))

function draw(groups: Groups): string {
  useGroups.mockReturnValue(groups)
  act(() =>
    page.root.render(
      <MemoryRouter>
        <Radix.Root open>
          <SearchPanel
            mode="places"
            doing={{ openAdmin: () => undefined, start: () => undefined }}
            onChoose={() => undefined}
          />
        </Radix.Root>
      </MemoryRouter>,
    ),
  )
  return page.place.querySelector('output')?.textContent ?? ''
}

const site = { id: 'site-a', icon: null, title: 'blog.localhost', href: '/site/a' }
const found = [{ key: 'sites' as const, label: 'Sites', options: [site] }]

test('typing, asking and finding nothing are said in the words of the specification', () => {
  expect(draw({ groups: [], term: 'a', state: 'waiting' })).toBe('Searching...')
  expect(draw({ groups: [], term: 'a', state: 'loading' })).toBe('Loading...')
  expect(draw({ groups: [], term: 'a', state: 'ready' })).toBe('No results found')
  expect(draw({ groups: found, term: 'a', state: 'ready' })).toBe('1 result')
  expect(page.place.querySelector('input')?.placeholder).toBe('Type / to search')
})
