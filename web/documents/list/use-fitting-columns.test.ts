import { renderHook } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { leavingColumns, useFittingColumns } from './use-fitting-columns.ts'

const column = (id: string, leaves?: number) => ({ id, meta: leaves === undefined ? {} : { leaves } })
const columns = [column('name'), column('server', 102), column('php', 203), column('disk', 204), column('menu')]
const widths = [300, 120, 60, 80, 44]

it('leaves out as many columns as do not fit, by priority, and never those that must stay', () => {
  expect(leavingColumns(columns, widths, 0)).toEqual([])
  expect(leavingColumns(columns, widths, 5)).toEqual(['disk'])
  expect(leavingColumns(columns, widths, 81)).toEqual(['disk', 'php'])
  expect(leavingColumns(columns, widths, 900)).toEqual(['disk', 'php', 'server'])
})

it('rows are measured once, not with each render, and all columns are back when others have room for them', () => {
  const wide = [{ name: 'a long name' }]
  const widths: Record<string, number> = { name: 300, server: 120, php: 60, disk: 80, menu: 44 }
  let shown: readonly { id: string }[] = []
  const widthOf = ({ id }: { id: string }) => widths[id] ?? 0
  const measured = vi.fn(() => shown.reduce((sum, one) => sum + widthOf(one), 0))
  const box = document.createElement('div')
  const table = document.createElement('table')
  Object.defineProperty(box, 'clientWidth', { value: 560 })
  Object.defineProperty(table, 'offsetWidth', { get: measured })
  Object.defineProperty(table, 'tHead', {
    get: () => ({ rows: [{ cells: shown.map((one) => ({ offsetWidth: widthOf(one) })) }] }),
  })
  box.append(table)
  const ref = { current: box }
  const { result, rerender } = renderHook(
    ({ rows }) => {
      shown = useFittingColumns(ref, columns, rows)
      return shown.map(({ id }) => id).join(' ')
    },
    { initialProps: { rows: wide } },
  )
  expect(result.current).toBe('name server php menu')
  const times = measured.mock.calls.length
  rerender({ rows: wide })
  expect(measured).toHaveBeenCalledTimes(times)
  widths['name'] = 200
  rerender({ rows: [{ name: 'short' }] })
  expect(result.current).toBe('name server php disk menu')
})
