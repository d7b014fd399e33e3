import { expect, test } from 'vitest'
import { tokenScopes } from '#shared/rules/token-scopes.ts'
import { chosenScopes, expiryIn, scopeAreas, tokenRoles } from './token-form.ts'

test('every scope can be chosen once', () => {
  const offered = scopeAreas().flatMap(({ area, access }) => access.map((one) => `${area}:${one.access}`))
  expect(offered.toSorted()).toEqual(Object.keys(tokenScopes).toSorted())
  expect(scopeAreas().find(({ area }) => area === 'activity')?.access).toHaveLength(1)
})

test('the form’s values become scopes, one per area', () => {
  expect(chosenScopes({})).toEqual([])
  expect(chosenScopes({ sites: 'write', jobs: 'read' })).toEqual(['sites:write', 'jobs:read'])
})

test('a token’s role cannot exceed the user’s own', () => {
  expect(tokenRoles('Organization Admin')).toHaveLength(3)
  expect(tokenRoles('Organization Manager')).toEqual(['Organization Manager', 'Organization User'])
  expect(tokenRoles('Organization User')).toEqual(['Organization User'])
})

test('the expiry is a UTC time, or never', () => {
  expect(expiryIn(7, Date.parse('2026-11-20T15:00:00Z'))).toBe('2026-11-27 15:00:00')
  expect(expiryIn(null)).toBeNull()
})
