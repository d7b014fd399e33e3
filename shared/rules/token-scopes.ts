/**
 * Scopes an API token can be limited to. Each doctype names its area (`area` in its description) and each method its scope;
 * without one it isn't accessible to tokens. Write access includes read access.
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

/** An area of the product that tokens can access. */
export type TokenArea = TokenScope extends `${infer Area}:${string}` ? Area : never

/** Whether a text is a scope name. */
export function isTokenScope(text: unknown): text is TokenScope {
  return typeof text === 'string' && Object.hasOwn(tokenScopes, text)
}

/** Access a scope grants in its area; write includes read. */
export type TokenAccess = 'read' | 'write'

/** Area and access of a scope. */
export function splitScope(scope: TokenScope): [TokenArea, TokenAccess] {
  return scope.split(':') as [TokenArea, TokenAccess]
}

/** Whether scopes grant a token read or write access to an area. Always false without an area. */
export function scopesAllow(
  scopes: readonly string[],
  area: TokenArea | undefined,
  access: TokenAccess,
): area is TokenArea {
  if (area === undefined) return false
  return scopes.includes(`${area}:write`) || (access === 'read' && scopes.includes(`${area}:read`))
}
