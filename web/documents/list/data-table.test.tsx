import { act, fireEvent, render, screen } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DataTable, type DataColumn } from './data-table.tsx'
import type { ListOrder } from '../query/list-state.ts'

interface Line {
  name: string
  size: number
}
const lines = (count: number): Line[] => Array.from({ length: count }, (_, at) => ({ name: `line ${at}`, size: at }))
const columns: DataColumn<Line>[] = [
  {
    id: 'name',
    accessorFn: (row) => row.name,
    header: 'Name',
    cell: ({ row }) => <a href={`#${row.id}`}>{row.original.name}</a>,
    meta: { names: true },
  },
  { id: 'size', accessorFn: (row) => row.size, header: 'Size', cell: ({ row }) => row.original.size },
  { id: 'note', accessorFn: (row) => row.name, header: 'Note', cell: () => null, enableSorting: false },
]

const table = (rows: readonly Line[] | undefined, shown = columns) => (
  <DataTable
    label="Lines"
    columns={shown}
    rows={rows}
    expected={3}
    rowKey={(row) => row.name}
    isSelected={(row) => row.name === 'line 1'}
  />
)
const drawn = () => [...document.querySelectorAll<HTMLElement>('[data-name]')].map((row) => row.dataset['name'])
const heads = () => screen.getAllByRole('columnheader').map((head) => head.getAttribute('aria-sort'))

it('shows rows with their headers and which are selected, and a message while there are none', () => {
  const { container, rerender } = render(table(undefined))
  const shown = screen.getByRole('table', { name: 'Lines' })
  expect(shown.getAttribute('aria-busy')).toBe('true')
  expect(shown.querySelectorAll('tbody tr[aria-hidden]')).toHaveLength(3)
  rerender(table(lines(2)))
  expect(screen.getByRole('table', { name: 'Lines' }).getAttribute('aria-busy')).toBe('false')
  expect(screen.getAllByRole('rowheader').map((cell) => cell.textContent)).toEqual(['line 0', 'line 1'])
  expect(container.querySelector('[data-selected]')?.textContent).toBe('line 11')
  expect(screen.queryByRole('button')).toBeNull()
})

it('draws only the row that was selected', () => {
  const cell = vi.fn(() => null)
  const shown: DataColumn<Line>[] = [...columns, { id: 'seen', accessorFn: ({ name }) => name, header: 'Seen', cell }]
  const rows = lines(50)
  const selected = (name: string) => (
    <DataTable
      label="Lines"
      columns={shown}
      rows={rows}
      expected={3}
      rowKey={(row) => row.name}
      isSelected={(row) => row.name === name}
    />
  )
  const { rerender } = render(selected(''))
  expect(cell).toHaveBeenCalledTimes(50)
  rerender(selected('line 7'))
  expect(cell).toHaveBeenCalledTimes(51)
  expect(document.querySelector<HTMLElement>('[data-selected]')?.dataset['name']).toBe('line 7')
})

it('puts a heading before each group, also in a long table', () => {
  const groupOf = ({ size }: Line) => ({ key: String(size % 2), label: size % 2 === 0 ? 'Even' : 'Odd' })
  const rows = lines(120).toSorted((a, b) => (a.size % 2) - (b.size % 2))
  render(
    <DataTable
      label="Lines"
      columns={columns}
      rows={rows}
      expected={3}
      rowKey={({ name }) => name}
      groupOf={groupOf}
    />,
  )
  const texts = [...document.querySelectorAll('tbody tr')].map((row) => row.textContent)
  expect(texts).toHaveLength(122)
  expect([texts[0], texts[61]]).toEqual(['Even', 'Odd'])
  expect(screen.getByRole('columnheader', { name: 'Even' }).getAttribute('colspan')).toBe('3')
})

it('keeps the focus in a row when the columns are recreated', () => {
  const { rerender } = render(table(lines(3)))
  const first = () => screen.getAllByRole('link')[0]
  act(() => first()?.focus())
  const name = columns.map(
    (column) => ({ ...column, cell: ({ row }) => <a href="#x">{row.original.name}</a> }) as DataColumn<Line>,
  )
  rerender(table(lines(3), name))
  expect(document.activeElement).toBe(first())
})

describe('sorting', () => {
  function renderSorted(usual: ListOrder): { press: (head: string) => Promise<ListOrder> } {
    let now = usual
    function Sorted() {
      const [order, setOrder] = useState(usual)
      const sort = {
        order,
        usual,
        onChange: (next: ListOrder) => {
          now = next
          setOrder(next)
        },
      }
      return (
        <DataTable
          label="Lines"
          columns={columns}
          rows={lines(2)}
          expected={3}
          rowKey={(row) => row.name}
          sort={sort}
        />
      )
    }
    render(<Sorted />)
    return {
      press: async (head) => {
        await userEvent.click(screen.getByRole('button', { name: head }))
        return now
      },
    }
  }

  it('switches to ascending, descending, then back to the default', async () => {
    const usual: ListOrder = { field: 'size', direction: 'desc' }
    const { press } = renderSorted(usual)
    expect(heads()).toEqual(['none', 'descending', null])
    expect(await press('Name')).toEqual({ field: 'name', direction: 'asc' })
    expect(heads()).toEqual(['ascending', 'none', null])
    expect(await press('Name')).toEqual({ field: 'name', direction: 'desc' })
    expect(await press('Name')).toEqual(usual)
  })

  it('of the default column reverses its direction', async () => {
    const { press } = renderSorted({ field: 'size', direction: 'desc' })
    expect(await press('Size')).toEqual({ field: 'size', direction: 'asc' })
    expect(await press('Size')).toEqual({ field: 'size', direction: 'desc' })
  })
})

describe('many rows', () => {
  // The test browser has no layout.
  beforeEach(() => void vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(45))
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
  })

  const scroll = (top: number) => {
    vi.stubGlobal('scrollY', top)
    fireEvent.scroll(window)
  }

  it('only rows near the screen are rendered, and the others keep their space', () => {
    render(table(lines(200)))
    expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('201')
    expect(drawn().length).toBeGreaterThan(10)
    expect(drawn().length).toBeLessThan(50)
    expect(document.querySelector('[data-name="line 3"]')?.getAttribute('aria-rowindex')).toBe('5')
    const rest = 200 - drawn().length
    expect(document.querySelector<HTMLElement>('tbody tr[aria-hidden]')?.style.height).toBe(`${rest * 45}px`)

    scroll(4500)
    expect(drawn()).toContain('line 100')
    expect(drawn()).not.toContain('line 0')
  })

  it('the first render draws what the screen shows, the rows around it follow', () => {
    const first = renderToString(table(lines(200))).match(/data-name=/g)?.length ?? 0
    expect(first).toBeGreaterThan(5)
    expect(first).toBeLessThan(innerHeight / 45)
    render(table(lines(200)))
    expect(drawn().length).toBeGreaterThan(first + 4)
  })

  it('the focused row stays rendered', () => {
    render(table(lines(200)))
    act(() => screen.getByRole('link', { name: 'line 2' }).focus())
    scroll(4500)
    expect(drawn()).toContain('line 2')
    expect(drawn()).not.toContain('line 1')
    expect(drawn()).toContain('line 100')
  })

  it('short lists are rendered completely', () => {
    render(table(lines(99)))
    expect(drawn()).toHaveLength(99)
  })
})
