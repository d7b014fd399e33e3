import { expect, it } from 'vitest'
import type { SharedWith } from '#shared/responses/sharing.ts'
import { nameOf, withShare } from './use-shares.ts'

const row = (user: string, values: Partial<SharedWith> = {}): SharedWith => ({
  user,
  full_name: null,
  read: 1,
  write: 0,
  share: 0,
  ...values,
})

it('changes one share, appends new ones, and removes shares without permissions', () => {
  const rows = [row('a'), row('b')]
  expect(withShare(rows, row('b', { write: 1 }))).toEqual([row('a'), row('b', { write: 1 })])
  expect(withShare(rows, row('c'))).toEqual([row('a'), row('b'), row('c')])
  expect(withShare(rows, row('a', { read: 0 }))).toEqual([row('b')])
  expect(rows).toEqual([row('a'), row('b')])
})

it('shows people by their name if they have one', () => {
  expect(nameOf(row('ann@acme.example', { full_name: 'Ann Berg' }))).toBe('Ann Berg')
  expect(nameOf(row('ann@acme.example'))).toBe('ann@acme.example')
})
