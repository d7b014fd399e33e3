import type { InvitationFacts } from '#shared/doctypes/member-invite.ts'
import { call } from '../api/api.ts'

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
