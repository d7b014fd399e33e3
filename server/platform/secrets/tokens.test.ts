import { expect, test } from 'vitest'
import { hashToken, newToken, sameSecret } from './tokens.ts'

test('tokens have 256 bits and differ', () => {
  const tokens = Array.from({ length: 1000 }, newToken)
  expect(new Set(tokens).size).toBe(1000)
  for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32)
})

test('the hash is SHA-256 in hex', () => {
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('compares secrets completely, whatever their lengths', () => {
  expect([
    sameSecret('a', 'a'),
    sameSecret('', ''),
    sameSecret('a', 'b'),
    sameSecret('a', 'aa'),
    sameSecret('a', ''),
  ]).toEqual([true, true, false, false, false])
})
