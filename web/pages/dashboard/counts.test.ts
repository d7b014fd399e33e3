import { expect, it } from 'vitest'
import { barsOf, countedRows, countOf } from './counts.ts'
import { runningStatuses } from './widgets.tsx'

const present = [['status', '!=', 'Archived']] as const
const at = { field: 'php_version', filters: present, path: '/site' }
const filtersOf = (href: string) => Object.fromEntries(new URL(href, 'http://x').searchParams)

it('counts rows of a grouped response, including unset values', () => {
  expect(
    countedRows(
      [
        { v: '8.4', n: 2 },
        { v: '', n: '1' },
        { v: null, n: 3 },
      ],
      'v',
    ),
  ).toEqual([
    { value: '8.4', n: 2 },
    { value: null, n: 1 },
    { value: null, n: 3 },
  ])
})

it('sorts by count, each linking to the list of its rows', () => {
  const bars = barsOf(
    [
      { value: '8.3', n: 1 },
      { value: null, n: 2 },
      { value: '8.4', n: 7 },
    ],
    at,
  )
  expect(bars.map(({ kind, value, n }) => [kind, value, n])).toEqual([
    ['value', '8.4', 7],
    ['unset', '', 2],
    ['value', '8.3', 1],
  ])
  expect(filtersOf(bars[0]?.href ?? '')).toEqual({ status: '["!=","Archived"]', php_version: '["=","8.4"]' })
  expect(filtersOf(bars[1]?.href ?? '')).toEqual({ status: '["!=","Archived"]', php_version: '["=",""]' })
})

it('combines the rows beyond the maximum without losing any', () => {
  const rows = Array.from({ length: 9 }, (_, index) => ({ value: `6.${index}`, n: 9 - index }))
  const bars = barsOf(rows, { ...at, field: 'wordpress_version' })
  expect(bars).toHaveLength(7)
  expect(bars[6]).toMatchObject({ kind: 'rest', n: 3 + 2 + 1 })
  expect(bars.reduce((sum, bar) => sum + bar.n, 0)).toBe(45)
  expect(filtersOf(bars[6]?.href ?? '')['wordpress_version']).toBe('["not in",["6.0","6.1","6.2","6.3","6.4","6.5"]]')
  expect(barsOf(rows.slice(0, 7), at).map(({ kind }) => kind)).not.toContain('rest')
})

it('a status bar replaces the default status filter; the rest keeps it', () => {
  const rows = [
    { value: 'Live', n: 3 },
    { value: 'Failed', n: 2 },
    { value: 'Suspended', n: 1 },
  ]
  const bars = barsOf(rows, { ...at, field: 'status', most: 1 })
  expect(filtersOf(bars[0]?.href ?? '')).toEqual({ status: '["=","Live"]' })
  const rest = new URL(bars[1]?.href ?? '', 'http://x').searchParams.getAll('status')
  expect(rest).toEqual(['["!=","Archived"]', '["not in",["Live"]]'])
})

it('running servers are the healthy and the degraded ones', () => {
  const rows = [
    { value: 'Healthy', n: 4 },
    { value: 'Degraded', n: 1 },
    { value: 'Disconnected', n: 1 },
    { value: 'Provisioning', n: 1 },
    { value: null, n: 1 },
  ]
  expect(countOf(rows, runningStatuses)).toBe(5)
  expect(countOf(rows)).toBe(8)
})
