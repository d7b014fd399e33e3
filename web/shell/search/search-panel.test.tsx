import * as Radix from 'radix-ui/dialog'
import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { MemoryRouter } from 'react-router'
import type { Option } from './option.ts'
import { SearchPanel } from './search-panel.tsx'
import type { Groups } from './use-groups.tsx'

const page = testRender()

const onChoose = vi.fn<(option: Option) => void>()
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
            onChoose={onChoose}
          />
        </Radix.Root>
      </MemoryRouter>,
    ),
  )
  return page.place.querySelector('output')?.textContent ?? ''
}

const site = { id: 'site-a', icon: null, title: 'blog.localhost', href: '/site/a' }
const found = [{ key: 'sites' as const, label: 'Sites', options: [site] }]

test('typing, asking and finding nothing are said in the fixed words', () => {
  expect(draw({ groups: [], term: 'a', state: 'waiting' })).toBe('Searching...')
  expect(draw({ groups: [], term: 'a', state: 'loading' })).toBe('Loading...')
  expect(draw({ groups: [], term: 'a', state: 'ready' })).toBe('No results found')
  expect(draw({ groups: found, term: 'a', state: 'ready' })).toBe('1 result')
  expect(page.place.querySelector('input')?.placeholder).toBe('Type / to search')
})

const pages = { key: 'pages' as const, label: 'Pages', options: [{ id: 'page-/site', icon: null, title: 'Sites' }] }
const locked = { id: 'delete-a', icon: null, title: 'Delete site', reason: 'A job is running.' }
const field = () => page.place.querySelector<HTMLInputElement>('[role=combobox]')
const press = (key: string): boolean => {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
  act(() => void field()?.dispatchEvent(event))
  return event.defaultPrevented
}
const selected = () => page.place.querySelector('[role=option][aria-selected=true]')
const announced = () => document.getElementById(field()?.getAttribute('aria-activedescendant') ?? '')

test('arrows reach everything, and the first result is chosen while results arrive', () => {
  draw({ groups: [pages], term: 'si', state: 'loading' })
  expect(selected()?.textContent).toBe('Sites')
  const all = [...found, pages, { key: 'actions' as const, label: 'Actions', options: [locked] }]
  draw({ groups: all, term: 'si', state: 'ready' })
  expect(selected()?.textContent).toBe('blog.localhost')
  expect(announced()).toBe(selected())
  press('ArrowUp')
  expect(selected()?.textContent).toBe('Delete siteA job is running.')
  expect(announced()).toBe(selected())
  press('ArrowDown')
  press('ArrowDown')
  expect(selected()?.textContent).toBe('Sites')
  expect([press('Home'), press('End')]).toEqual([false, false])
  press('Enter')
  expect(onChoose.mock.calls.map(([{ id }]) => id)).toEqual(['page-/site'])
})

test('Enter before the answer is there is meant for it', () => {
  onChoose.mockReset()
  draw({ groups: [], term: 'b', state: 'loading' })
  press('Enter')
  expect(onChoose).not.toHaveBeenCalled()
  draw({ groups: found, term: 'blog', state: 'ready' })
  expect(onChoose.mock.calls.map(([{ id }]) => id)).toEqual(['site-a'])
})
