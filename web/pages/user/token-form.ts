import { keysOf } from '#shared/is-one-of.ts'
import { organizationRoles, type OrganizationRole } from '#shared/doctypes/organization-member.ts'
import {
  splitScope,
  tokenScopes,
  type TokenAccess,
  type TokenArea,
  isTokenScope,
  type TokenScope,
} from '#shared/rules/token-scopes.ts'

/** An area of the product that a token can access. */
export interface ScopeArea {
  area: TokenArea
  /** Access levels, lowest first, each with its hint. */
  access: readonly { access: TokenAccess; hint: string }[]
}

/** Areas of all scopes, in the order of their description. */
export function scopeAreas(): ScopeArea[] {
  const areas = new Map<TokenArea, { access: TokenAccess; hint: string }[]>()
  for (const scope of keysOf(tokenScopes)) {
    const [area, access] = splitScope(scope)
    areas.set(area, [...(areas.get(area) ?? []), { access, hint: tokenScopes[scope] }])
  }
  return [...areas].map(([area, access]) => ({ area, access }))
}

/** Chosen access by area; missing areas get none. */
export type ChosenAccess = Readonly<Partial<Record<TokenArea, TokenAccess>>>

/** Scopes of the choice; write includes read. */
export function chosenScopes(chosen: ChosenAccess): TokenScope[] {
  return Object.entries(chosen)
    .map(([area, access]) => `${area}:${access}`)
    .filter(isTokenScope)
}

/** Roles a token can have: its creator's, listed first, and lower ones. */
export function tokenRoles(own: OrganizationRole): OrganizationRole[] {
  return organizationRoles.slice(organizationRoles.indexOf(own))
}

/** Lifetimes in days; null for no expiry. */
export const tokenDays = [7, 30, 90, 365, null] as const

/** Expiry of a token created now, in API format (UTC); null for never. */
export function expiryIn(days: number | null, now: number = Date.now()): string | null {
  return days === null ? null : new Date(now + days * 86_400_000).toISOString().slice(0, 19).replace('T', ' ')
}
