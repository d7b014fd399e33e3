import type { InvitationDetails } from '#shared/doctypes/member-invite.ts'
import { call } from '../api/api.ts'

/** One request per link, even if a page mounts twice. */
const requests = new Map<string, Promise<InvitationDetails>>()

/** Reads an invitation. Throws `ApiError` (410) if the link isn't valid. */
export function checkInvitation(token: string): Promise<InvitationDetails> {
  const running = requests.get(token) ?? call<InvitationDetails>('easydash.api.account.check_invitation', { token })
  requests.set(token, running)
  // A failed request can be retried.
  running.catch(() => requests.delete(token))
  return running
}
