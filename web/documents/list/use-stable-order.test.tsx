import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import type { ListRow } from '../values/cells.tsx'
import { useStableOrder } from './use-stable-order.ts'

function Watch({ request, rows, selected }: { request: string | null; rows: readonly ListRow[]; selected: boolean }) {
  const { rows: shown, added, outdated, settle } = useStableOrder(request, rows, selected)
  return (
    <button type="button" onClick={settle}>
      {`${shown?.map((row) => `${row.name}${String(row['status'] ?? '')}`).join(' ')} +${added} ${outdated ? 'held' : 'same'}`}
    </button>
  )
}

const named = (text: string): ListRow[] =>
  text.split(' ').map((word) => ({ name: word.charAt(0), ...(word.length > 1 && { status: word.slice(1) }) }))
const list = (
  rows: string,
  { request = 'r', selected = false }: { request?: string | null; selected?: boolean } = {},
) => <Watch request={request} rows={named(rows)} selected={selected} />
const text = () => screen.getByRole('button').textContent

it('shows a new order immediately while the user isn’t working in the list', () => {
  const { rerender } = render(list('a b c'))
  rerender(list('d b a'))
  expect(text()).toBe('d b a +0 same')
})

it.each([
  ['in sight', 300, 'd a b c +0 same'],
  ['out of sight', -300, 'a b c +1 held'],
])('on a page that is scrolled, with the beginning of the list %s', (_where, top, shown) => {
  vi.stubGlobal('scrollY', 500)
  const row = document.body.appendChild(document.createElement('div'))
  row.dataset['name'] = 'a'
  row.getBoundingClientRect = () => new DOMRect(0, top)
  const { rerender } = render(list('a b c'))
  rerender(list('d a b c'))
  expect(text()).toBe(shown)
  row.remove()
  vi.unstubAllGlobals()
})

it('keeps the order but updates values while rows are selected; deleted rows disappear, new ones wait for the user', async () => {
  const { rerender } = render(list('a b c', { selected: true }))
  rerender(list('d c aLive', { selected: true }))
  expect(text()).toBe('aLive c +1 held')
  await userEvent.click(screen.getByRole('button'))
  expect(text()).toBe('d c aLive +0 same')
})

it('another request replaces the list, even while the user works in it', () => {
  const { rerender } = render(list('a b c', { selected: true }))
  rerender(list('a b c', { request: null, selected: true }))
  rerender(list('x b', { request: 's', selected: true }))
  expect(text()).toBe('x b +0 same')
})
