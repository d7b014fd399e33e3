import { expect, test } from 'vitest'
import { organizationRoles } from '../doctypes/organization-member.ts'
import { ServerDoctype } from '../doctypes/server.ts'
import { SiteDoctype } from '../doctypes/site.ts'
import { benefitsFromShares, needsShare } from './shares.ts'

test('a share of a site gives something to plain members only', () => {
  expect(organizationRoles.filter((role) => benefitsFromShares(SiteDoctype, role))).toEqual(['Organization User'])
  expect(benefitsFromShares(SiteDoctype, 'Owner')).toBe(false)
})

test('servers cannot be shared: access through a shared site is not a share of its own', () => {
  expect(organizationRoles.filter((role) => benefitsFromShares(ServerDoctype, role))).toEqual([])
})

test('a right needs a share where its rule names one', () => {
  expect(needsShare({ shared: 'read' })).toBe(true)
  expect(needsShare({ any: [['owner', '=', '$user'], { all: [{ shared: 'write' }] }] })).toBe(true)
  for (const grant of [true, false, undefined, ['owner', '=', '$user'] as const]) expect(needsShare(grant)).toBe(false)
})
