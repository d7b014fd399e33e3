import { act, useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { DataTable, type DataColumn, type TableSort } from './data-table.tsx'
import type { ListOrder } from './list-state.ts'

const page = testRender()

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

function draw(rows: readonly Line[] | undefined, sort?: TableSort, shown = columns): Promise<void> {
  return act(async () =>
    page.root.render(
      <DataTable
        label="Lines"
        columns={shown}
        rows={rows}
        expected={3}
        rowKey={(row) => row.name}
        isSelected={(row) => row.name === 'line 1'}
        {...(sort && { sort })}
      />,
    ),
  )
}
const drawn = () => [...page.place.querySelectorAll<HTMLElement>('[data-name]')].map((row) => row.dataset['name'])
const heads = () => [...page.place.querySelectorAll('th[scope=col]')].map((head) => head.getAttribute('aria-sort'))

it('shows rows with their heads, which is selected, and says while none are here yet', async () => {
  await draw(undefined)
  const table = () => page.place.querySelector('table')
  expect(table()?.getAttribute('aria-busy')).toBe('true')
  expect(table()?.querySelectorAll('tbody tr[aria-hidden]')).toHaveLength(3)
  await draw(lines(2))
  expect(table()?.getAttribute('aria-busy')).toBe('false')
  expect(table()?.getAttribute('aria-label')).toBe('Lines')
  expect([...page.place.querySelectorAll('th[scope=row]')].map((cell) => cell.textContent)).toEqual([
    'line 0',
    'line 1',
  ])
  expect(page.place.querySelector('[data-selected]')?.textContent).toBe('line 11')
  expect(page.place.querySelectorAll('th button')).toHaveLength(0)
})

it('keeps the focus in a row when the columns are made anew', async () => {
  await draw(lines(3))
  page.place.querySelector('a')?.focus()
  const name = columns.map(
    (column) => ({ ...column, cell: ({ row }) => <a href="#x">{row.original.name}</a> }) as DataColumn<Line>,
  )
  await draw(lines(3), undefined, name)
  expect(document.activeElement).toBe(page.place.querySelector('a'))
})

describe('the order', () => {
  async function drawSorted(usual: ListOrder): Promise<{ press: (head: string) => Promise<ListOrder> }> {
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
    await act(async () => page.root.render(<Sorted />))
    return {
      press: async (head) => {
        const button = [...page.place.querySelectorAll('button')].find(({ textContent }) => textContent === head)
        await act(async () => button?.click())
        return now
      },
    }
  }

  it('goes ascending, descending, then back to the usual one', async () => {
    const usual: ListOrder = { field: 'size', direction: 'desc' }
    const { press } = await drawSorted(usual)
    expect(heads()).toEqual(['none', 'descending', null])
    expect(await press('Name')).toEqual({ field: 'name', direction: 'asc' })
    expect(heads()).toEqual(['ascending', 'none', null])
    expect(await press('Name')).toEqual({ field: 'name', direction: 'desc' })
    expect(await press('Name')).toEqual(usual)
  })

  it('of the usual column turns round', async () => {
    const { press } = await drawSorted({ field: 'size', direction: 'desc' })
    expect(await press('Size')).toEqual({ field: 'size', direction: 'asc' })
    expect(await press('Size')).toEqual({ field: 'size', direction: 'desc' })
  })
})

describe('of many rows', () => {
  // The test browser has no layout.
  beforeEach(() => void vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(45))
  afterEach(() => vi.restoreAllMocks())

  const scroll = (top: number) =>
    act(async () => {
      vi.stubGlobal('scrollY', top)
      dispatchEvent(new Event('scroll'))
    })

  it('those near the screen are drawn, the rest keeps its place', async () => {
    await draw(lines(200))
    expect(page.place.querySelector('table')?.getAttribute('aria-rowcount')).toBe('201')
    expect(drawn().length).toBeGreaterThan(10)
    expect(drawn().length).toBeLessThan(50)
    expect(page.place.querySelector('[data-name="line 3"]')?.getAttribute('aria-rowindex')).toBe('5')
    const rest = 200 - drawn().length
    expect(page.place.querySelector<HTMLElement>('tbody tr[aria-hidden]')?.style.height).toBe(`${rest * 45}px`)

    await scroll(4500)
    expect(drawn()).toContain('line 100')
    expect(drawn()).not.toContain('line 0')
  })

  it('the one with the focus stays', async () => {
    await draw(lines(200))
    await act(async () => page.place.querySelector<HTMLElement>('[data-name="line 2"] a')?.focus())
    await scroll(4500)
    expect(drawn()).toContain('line 2')
    expect(drawn()).not.toContain('line 1')
    expect(drawn()).toContain('line 100')
  })

  it('few are drawn all', async () => {
    await draw(lines(99))
    expect(drawn()).toHaveLength(99)
  })
})
