import { organizationRoles, type OrganizationRole } from '#shared/doctypes/organization-member.ts'
import {
  splitScope,
  tokenScopes,
  type TokenAccess,
  type TokenArea,
  type TokenScope,
} from '#shared/rules/token-scopes.ts'

/** One part of the product a token can be let into. */
export interface ScopeArea {
  area: TokenArea
  /** What can be given there, least first, with its sentence. */
  access: readonly { access: TokenAccess; hint: string }[]
}

/** The areas of all scopes, in the order of their description. */
export function scopeAreas(): ScopeArea[] {
  const areas = new Map<TokenArea, { access: TokenAccess; hint: string }[]>()
  for (const scope of Object.keys(tokenScopes) as TokenScope[]) {
    const [area, access] = splitScope(scope)
    areas.set(area, [...(areas.get(area) ?? []), { access, hint: tokenScopes[scope] }])
  }
  return [...areas].map(([area, access]) => ({ area, access }))
}

/** Access by area, as chosen in the form; an area that is missing gets nothing. */
export type ChosenAccess = Readonly<Partial<Record<TokenArea, TokenAccess>>>

/** Scopes of the choice; writing includes reading. */
export function chosenScopes(chosen: ChosenAccess): TokenScope[] {
  return (Object.entries(chosen) as [TokenArea, TokenAccess][]).map(
    ([area, access]) => `${area}:${access}` as TokenScope,
  )
}

/** Roles a token can have: up to the maker's own, which comes first. */
export function tokenRoles(own: OrganizationRole): OrganizationRole[] {
  return organizationRoles.slice(organizationRoles.indexOf(own))
}

/** Days a token can live; null for ever. */
export const tokenDays = [7, 30, 90, 365, null] as const

/** End of a token made now, as the wire has times (UTC); null for never. */
export function expiryIn(days: number | null, now: number = Date.now()): string | null {
  return days === null ? null : new Date(now + days * 86_400_000).toISOString().slice(0, 19).replace('T', ' ')
}
