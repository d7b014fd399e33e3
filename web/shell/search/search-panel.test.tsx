import { fireEvent, render, screen } from '@testing-library/react'
import * as Radix from 'radix-ui/dialog'
import { expect, test, vi } from 'vitest'
import { MemoryRouter } from 'react-router'
import type { Option } from './option.ts'
import { SearchPanel } from './search-panel.tsx'
import type { Groups } from './use-groups.tsx'

const onChoose = vi.fn<(option: Option) => void>()
const { useGroups } = vi.hoisted(() => ({ useGroups: vi.fn<() => Groups>() }))
// The panel's answer to each state of a search; where the groups come from is tested in groups-by-role.test.tsx.
vi.mock('./use-groups.tsx', () => ({ useGroups }))

const panel = () => (
  <MemoryRouter>
    <Radix.Root open>
      <SearchPanel mode="places" doing={{ openAdmin: () => undefined, start: () => undefined }} onChoose={onChoose} />
    </Radix.Root>
  </MemoryRouter>
)
/** Renders the panel; the returned function lets it find something else. */
function draw(first: Groups): (groups: Groups) => void {
  useGroups.mockReturnValue(first)
  const { rerender } = render(panel())
  return (groups) => {
    useGroups.mockReturnValue(groups)
    rerender(panel())
  }
}
const said = () => screen.getByRole('status').textContent

const site = { id: 'site-a', icon: null, title: 'blog.localhost', href: '/site/a' }
const found = [{ key: 'sites' as const, label: 'Sites', options: [site] }]

test('typing, asking and finding nothing are said in the fixed words', () => {
  const find = draw({ groups: [], term: 'a', state: 'waiting' })
  expect(said()).toBe('Searching...')
  find({ groups: [], term: 'a', state: 'loading' })
  expect(said()).toBe('Loading...')
  find({ groups: [], term: 'a', state: 'ready' })
  expect(said()).toBe('No results found')
  find({ groups: found, term: 'a', state: 'ready' })
  expect(said()).toBe('1 result')
  expect(screen.getByPlaceholderText('Type / to search')).toBe(field())
})

const pages = { key: 'pages' as const, label: 'Pages', options: [{ id: 'page-/site', icon: null, title: 'Sites' }] }
const locked = { id: 'delete-a', icon: null, title: 'Archive', reason: 'A job is running.' }
const field = () => screen.getByRole('combobox')
/** Whether the browser still does what the key means in a text field. */
const press = (key: string): boolean => fireEvent.keyDown(field(), { key })
const selected = () => screen.getByRole('option', { selected: true })
const announced = () => document.getElementById(field().getAttribute('aria-activedescendant') ?? '')

test('arrows reach everything, and the first result is chosen while results arrive', () => {
  const find = draw({ groups: [pages], term: 'si', state: 'loading' })
  expect(selected().textContent).toBe('Sites')
  const all = [...found, pages, { key: 'actions' as const, label: 'Actions', options: [locked] }]
  find({ groups: all, term: 'si', state: 'ready' })
  expect(selected().textContent).toBe('blog.localhost')
  expect(announced()).toBe(selected())
  press('ArrowUp')
  expect(selected().textContent).toBe('ArchiveA job is running.')
  expect(announced()).toBe(selected())
  press('ArrowDown')
  press('ArrowDown')
  expect(selected().textContent).toBe('Sites')
  expect([press('Home'), press('End')]).toEqual([true, true])
  press('Enter')
  expect(onChoose.mock.calls.map(([{ id }]) => id)).toEqual(['page-/site'])
})

test('Enter before the answer is there is meant for it', () => {
  onChoose.mockReset()
  const find = draw({ groups: [], term: 'b', state: 'loading' })
  press('Enter')
  expect(onChoose).not.toHaveBeenCalled()
  find({ groups: found, term: 'blog', state: 'ready' })
  expect(onChoose.mock.calls.map(([{ id }]) => id)).toEqual(['site-a'])
})
