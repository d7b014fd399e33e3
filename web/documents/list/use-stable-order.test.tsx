import { act } from 'react'
import { expect, it } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import type { ListRow } from './cells.tsx'
import { useStableOrder } from './use-stable-order.ts'

const page = testRender()

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
const show = (
  rows: string,
  { request = 'r', selected = false }: { request?: string | null; selected?: boolean } = {},
) => act(async () => page.root.render(<Watch request={request} rows={named(rows)} selected={selected} />))
const text = () => page.place.textContent

it('shows a new order at once while nobody works in the list', async () => {
  await show('a b c')
  await show('d b a')
  expect(text()).toBe('d b a +0 same')
})

it('keeps places with new values while rows are selected; what is gone goes, what is new waits until it is wanted', async () => {
  await show('a b c', { selected: true })
  await show('d c aLive', { selected: true })
  expect(text()).toBe('aLive c +1 held')
  await act(async () => page.place.querySelector('button')?.click())
  expect(text()).toBe('d c aLive +0 same')
})

it('another request is another list, also while somebody works in it', async () => {
  await show('a b c', { selected: true })
  await show('a b c', { request: null, selected: true })
  await show('x b', { request: 's', selected: true })
  expect(text()).toBe('x b +0 same')
})
