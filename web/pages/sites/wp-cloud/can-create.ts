import type { Session } from '#web/lib/session/session.tsx'

/** Whether the user can create sites at WP Cloud: owner and admins, not a platform admin from outside. */
export const canCreateAtWpCloud = ({ modules, organization }: Session): boolean =>
  modules.wpc && (organization?.owner === true || organization?.role === 'Organization Admin')
