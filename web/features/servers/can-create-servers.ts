import { sessionRoles, type Session } from '#web/lib/session/session.tsx'

/** Whether the user can open the page that creates a server. */
export function canCreateServers(session: Session): boolean {
  const { admin, owner } = sessionRoles(session)
  return session.modules.ee && (admin || owner)
}
