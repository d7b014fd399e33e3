import * as Radix from 'radix-ui/dialog'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MemoryRouter } from '#web/lib/router.tsx'
import { SearchPanel } from './search-panel.tsx'
import type { Groups } from './use-groups.tsx'

const { useGroups } = vi.hoisted(() => ({ useGroups: vi.fn<() => Groups>() }))
vi.mock('./use-groups.tsx', () => ({ useGroups }))

let root: Root
let place: HTMLElement

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  place = document.createElement('div')
  root = createRoot(place)
})
afterEach(() => {
  act(() => root.unmount())
  vi.unstubAllGlobals()
})

function draw(groups: Groups): string {
  useGroups.mockReturnValue(groups)
  act(() =>
    root.render(
      <MemoryRouter>
        <Radix.Root open>
          <SearchPanel
            mode="places"
            earlyText=""
            doing={{ openAdmin: () => undefined, start: () => undefined }}
            onChoose={() => undefined}
          />
        </Radix.Root>
      </MemoryRouter>,
    ),
  )
  return place.querySelector('output')?.textContent ?? ''
}

const site = { id: 'site-a', icon: null, title: 'blog.localhost', href: '/site/a' }
const found = [{ key: 'sites' as const, label: 'Sites', options: [site] }]

test('typing, asking and finding nothing are said in the words of the specification', () => {
  expect(draw({ groups: [], term: 'a', state: 'waiting' })).toBe('Searching...')
  expect(draw({ groups: [], term: 'a', state: 'loading' })).toBe('Loading...')
  expect(draw({ groups: [], term: 'a', state: 'ready' })).toBe('No results found')
  expect(draw({ groups: found, term: 'a', state: 'ready' })).toBe('1 result')
  expect(place.querySelector('input')?.placeholder).toBe('Type / to search')
})
