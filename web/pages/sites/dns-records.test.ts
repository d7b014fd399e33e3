import { expect, test } from 'vitest'
import type { DomainLookUp } from '#shared/responses/site-domains.ts'
import { dnsRows } from './dns-records.ts'

const [four, six] = ['203.0.113.7', '2001:db8::7']
const expected: DomainLookUp['expected'] = [
  { type: 'A', address: four },
  { type: 'AAAA', address: six },
]
const changes = (found: [DomainLookUp['found'][number]['type'], string][], wanted = expected) =>
  dnsRows({
    expected: wanted,
    found: found.map(([type, address]) => ({ type, address, is_here: [four, six].includes(address) })),
  }).map(({ type, address, change, wanted: to }) => [type, address, change, to].filter(Boolean).join(' '))

test('what is missing is added', () => {
  expect(changes([])).toEqual([`A add ${four}`, `AAAA add ${six}`])
  expect(changes([['A', four]])).toEqual([`A ${four} none`, `AAAA add ${six}`])
})

test('of several records that lead elsewhere, one is changed and the others are removed', () => {
  const elsewhere = ['198.51.100.1', '198.51.100.2'] as const
  expect(
    changes([
      ['A', elsewhere[0]],
      ['A', elsewhere[1]],
      ['AAAA', six],
    ]),
  ).toEqual([`A ${elsewhere[0]} change ${four}`, `A ${elsewhere[1]} remove`, `AAAA ${six} none`])
  expect(
    changes(
      [
        ['A', elsewhere[0]],
        ['A', four],
      ],
      expected.slice(0, 1),
    ),
  ).toEqual([`A ${elsewhere[0]} remove`, `A ${four} none`])
})

test('a record of a kind that the server has no address of is removed', () => {
  expect(changes([['AAAA', '2001:db8::8']], expected.slice(0, 1))).toEqual([`A add ${four}`, 'AAAA 2001:db8::8 remove'])
})
