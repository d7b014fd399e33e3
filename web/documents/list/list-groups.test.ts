import { expect, it } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { beginsGroup, groupRows } from './list-groups.ts'

const row = (name: string, values: object) => ({ name, ...values })

it('names groups by the value, by the title of a linked document, and rows without one', () => {
  const byClient = groupRows(SiteDoctype, 'client')
  expect(byClient?.(row('a', { client: 'Acme' }))).toEqual({ key: 'Acme', label: 'Acme' })
  for (const client of [null, '', undefined])
    expect(byClient?.(row('a', { client }))).toEqual({ key: '', label: 'Client: none' })
  const byServer = groupRows(SiteDoctype, 'server')
  expect(byServer?.(row('a', { server: 'x1', server_title: 'web-1' }))).toEqual({ key: 'x1', label: 'web-1' })
  expect(byServer?.(row('a', { server: 'x1' }))).toEqual({ key: 'x1', label: 'x1' })
  expect(groupRows(SiteDoctype, null)).toBeNull()
})

it('begins a group where the value changes, and with the first row of a page', () => {
  const rows = ['A', 'A', 'B', null, null].map((client, at) => row(`${at}`, { client }))
  const groupOf = groupRows(SiteDoctype, 'client')
  if (!groupOf) throw new Error('There are groups.')
  expect(rows.map((_row, at) => beginsGroup(groupOf, rows, at)?.label ?? null)).toEqual([
    'A',
    null,
    'B',
    'Client: none',
    null,
  ])
  expect(beginsGroup(groupOf, rows, 9)).toBeNull()
})
