import type { Rule } from '../../doctype.ts'

/** Entries of the log that name people, for those who can list these people. */
export const peopleInActivity = {
  list_shares: ['Site.share', 'Site.unshare', 'Site.set_owner'],
  wordpress_users: [
    'Site.login_link',
    'site.login_as',
    'Site.add_wordpress_user',
    'Site.set_wordpress_role',
    'Site.reset_wordpress_password',
    'Site.rename_wordpress_user',
    'Site.delete_wordpress_user',
  ],
}

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
