import { expect, test } from 'vitest'
import { validateAddress, splitAddresses, withAddresses } from './addresses.ts'

test('splits pasted lists of addresses', () => {
  expect(splitAddresses('a@b.example, c@d.example;e@f.example\n g@h.example')).toEqual([
    'a@b.example',
    'c@d.example',
    'e@f.example',
    'g@h.example',
  ])
  expect(splitAddresses('Ann Berg <Ann@Example.com>, "Cole, Ben" <ben@example.com>')).toContain('ann@example.com')
  expect(splitAddresses('"Ann" <ann@example.com>\nBen Cole <ben@example.com>')).toEqual([
    'ann@example.com',
    'ben@example.com',
  ])
  expect(splitAddresses('  \n ')).toEqual([])
})

test('removes duplicate addresses', () => {
  expect(withAddresses(['a@b.example'], ['c@d.example', 'a@b.example'])).toEqual(['a@b.example', 'c@d.example'])
})

test('recognizes complete addresses', () => {
  expect(validateAddress('sam@freelance').problem).not.toBeNull()
  expect(validateAddress('sam@freelance.example').problem).toBeNull()
})
