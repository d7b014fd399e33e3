import { call } from './api.ts'
import type { OrganizationRole } from './session.tsx'

/** What the server tells about the link of an invitation. */
export interface InvitationFacts {
  /** Slug and title. */
  organization: string
  organization_title: string
  /** Name of the person who invites. */
  invited_by: string
  /** Address that is invited. */
  user: string
  organization_role: OrganizationRole
  status: 'pending' | 'verified' | 'expired'
  expires: string | null
}

/** One question per link, even if a page mounts twice. */
const asked = new Map<string, Promise<InvitationFacts>>()

/** The facts of an invitation. Throws `ApiError` (410) for a link that is not valid. */
export function checkInvitation(token: string): Promise<InvitationFacts> {
  const running = asked.get(token) ?? call<InvitationFacts>('easydash.api.account.check_invitation', { token })
  asked.set(token, running)
  // What failed can be asked again.
  running.catch(() => asked.delete(token))
  return running
}
