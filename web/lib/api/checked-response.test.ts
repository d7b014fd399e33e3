/** Each kind of response, answered with something of another shape: an error, never a value that a page would show. */
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { unreadableMessage } from './api-error.ts'
import { checkedCount, checkedDoc, checkedGroups, checkedResult, checkedRows } from './checked-response.ts'

const site = { name: 's1', domain: 'blog', status: 'Live', disk_used: 1 }
const step = { key: 'copy', label: 'Copy files', status: 'Running', percent: 40 }
const job = { name: 'j1', status: 'Running', steps: [step] }
const rows = (value: unknown) =>
  checkedRows(value, 'Site', ['name', 'status', 'disk_used', 'server.hostname as server_title'])
const result = (value: unknown) => checkedResult(z.object({ version: z.string() }), value)

test('responses as they are described pass, also without fields that their reader can’t read', () => {
  for (const doc of [site, { name: 's1', status: 'Live' }]) expect(checkedDoc('Site', doc)).toBe(doc)
  expect(checkedDoc('Job', job)).toBe(job)
  for (const list of [[], [{ name: 's1', status: 'Live' }], [{ ...site, server_title: null }]])
    expect(rows(list)).toBe(list)
  expect(checkedGroups([{ n: 1 }])).toEqual([{ n: 1 }])
  expect(result({ version: '6.9' })).toEqual({ version: '6.9' })
  expect([0, 7].map(checkedCount)).toEqual([0, 7])
  // An action without a result has no `message` at all.
  expect(checkedResult(z.null(), undefined)).toBeNull()
})

/** What is no response of any kind. */
const foreign = [null, undefined, 'behavior', true, { unexpected: true }, [{ name: 7 }, null]]

test.each<[string, (value: unknown) => unknown, readonly unknown[]]>([
  ['a document', (value) => checkedDoc('Site', value), [...foreign, 7, [site], { ...site, name: '' }]],
  ['the state of a document', (value) => checkedDoc('Site', { ...site, status: value }), [undefined, null, '', 7]],
  ['a text of a document', (value) => checkedDoc('Site', { ...site, domain: value }), [7, {}, []]],
  ['a number of a document', (value) => checkedDoc('Site', { ...site, disk_used: value }), ['much', {}, []]],
  [
    'rows of a document',
    (value) => checkedDoc('Organization', { name: 'acme', members: value }),
    ['ann', 7, {}, ['ann']],
  ],
  ['a part of a document', (value) => checkedDoc('Site', { ...site, storage: value }), ['much', 7]],
  ['a list in a document', (value) => checkedDoc('Job', { ...job, steps: value }), ['copy', 7, {}, [7], [{}]]],
  ['an entry of it', (value) => checkedDoc('Job', { ...job, steps: [{ ...step, percent: value }] }), ['much', {}]],
  ['a list', rows, [...foreign, 7, site, [null], [{ status: 'Live' }], [{ name: 's1' }]]],
  ['a value in a list', (value) => rows([{ ...site, disk_used: value }]), ['much', {}]],
  ['a linked title in a list', (value) => rows([{ ...site, server_title: value }]), [7, {}]],
  ['numbers by group', checkedGroups, [...foreign, 7, [{}], [{ n: null }], [{ n: 'much' }]]],
  ['a result', result, [...foreign, 7, {}, { version: 7 }]],
  ['a count', checkedCount, [...foreign, '7', -1, 1.5, Number.NaN]],
])('%s of another shape is an error', (_what, check, malformed) => {
  for (const value of malformed) expect(() => check(value), JSON.stringify(value)).toThrow(unreadableMessage)
})
