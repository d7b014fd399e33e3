/**
 * What an API token can be limited to. Each doctype names its area (`area` in its description) and each method its
 * scope; what names none is closed to tokens. Writing includes reading.
 */
export const tokenScopes = {
  'sites:read': 'See sites.',
  'sites:write': 'Create, change and archive sites, and run their actions. To name a server it must be readable.',
  'servers:read': 'See servers.',
  'servers:write': 'Add, change and remove servers, and run their actions.',
  'members:read': 'See the people of the organization and open invitations.',
  'members:write': 'Invite people as members, lower roles and remove members.',
  'organization:read': "See the organization's settings, plan and limits.",
  'organization:write': "Change the organization's settings.",
  'activity:read': 'See the activity log, about what its other scopes let it see.',
  'jobs:read': 'See jobs and their logs.',
  'jobs:write': 'Cancel and retry jobs.',
  'files:read': 'Open files of the documents its other scopes let it see, and files its creator uploaded there.',
  'files:write': 'Upload files to the documents its other scopes let it change, rename and delete them.',
} as const

/** One scope, `area:read` or `area:write`. */
export type TokenScope = keyof typeof tokenScopes

/** A part of the product that tokens can be let into. */
export type TokenArea = TokenScope extends `${infer Area}:${string}` ? Area : never

/** Whether a text is the name of a scope. */
export function isTokenScope(text: unknown): text is TokenScope {
  return typeof text === 'string' && Object.hasOwn(tokenScopes, text)
}

/** What a scope lets a token do in its area; writing includes reading. */
export type TokenAccess = 'read' | 'write'

/** Area and access of a scope. */
export function splitScope(scope: TokenScope): [TokenArea, TokenAccess] {
  return scope.split(':') as [TokenArea, TokenAccess]
}

/** Whether scopes let a token read or write in an area. No area: never. */
export function scopesAllow(
  scopes: readonly string[],
  area: TokenArea | undefined,
  access: TokenAccess,
): area is TokenArea {
  if (area === undefined) return false
  return scopes.includes(`${area}:write`) || (access === 'read' && scopes.includes(`${area}:read`))
}
