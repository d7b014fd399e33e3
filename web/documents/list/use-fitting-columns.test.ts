import { expect, it } from 'vitest'
import { leavingColumns } from './use-fitting-columns.ts'

const column = (id: string, leaves?: number) => ({ id, meta: leaves === undefined ? {} : { leaves } })
const columns = [column('name'), column('server', 102), column('php', 203), column('disk', 204), column('menu')]
const widths = [300, 120, 60, 80, 44]

it('leaves out as many columns as do not fit, by priority, and never those that must stay', () => {
  expect(leavingColumns(columns, widths, 0)).toEqual([])
  expect(leavingColumns(columns, widths, 5)).toEqual(['disk'])
  expect(leavingColumns(columns, widths, 81)).toEqual(['disk', 'php'])
  expect(leavingColumns(columns, widths, 900)).toEqual(['disk', 'php', 'server'])
})
