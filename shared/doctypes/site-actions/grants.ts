import type { Rule } from '../../doctype.ts'

/** A member's own site, or one shared with them with that bit (docs/security.md). */
export function ownOrShared(bit: 'read' | 'write' | 'share'): Rule {
  return { any: [['owner', '=', '$user'], { shared: bit }] }
}

/** Owner, admins and managers; members with their own sites, and those shared with them with that bit. */
export const sharedGrants = (bit: 'read' | 'write' | 'share') =>
  ({
    Owner: true,
    'Organization Admin': true,
    'Organization Manager': true,
    'Organization User': ownOrShared(bit),
  }) as const
