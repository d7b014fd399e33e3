import { useEffect, useState } from 'react'
import { toApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/form-errors.ts'
import type { InvitationFacts } from '#shared/doctypes/member-invite.ts'
import { words } from './messages.ts'

/** What is known of the invitation a sign-up began with. */
export type InvitationState =
  | { state: 'none' | 'busy' }
  | { state: 'failed'; message: string }
  | { state: 'open'; token: string; facts: InvitationFacts }

/** Looks at the invitation of a token; null when there is none. */
export function useInvitation(token: string | null): InvitationState {
  const [found, setFound] = useState<InvitationState>({ state: token ? 'busy' : 'none' })
  useEffect(() => {
    if (!token) return
    let stopped = false
    // Fetched here: most sign-ups come without an invitation.
    const check = import('#web/lib/session/invitation.ts').then((module) => module.checkInvitation(token))
    check.then(
      (facts) => {
        if (stopped) return
        setFound(
          facts.status === 'pending'
            ? { state: 'open', token, facts }
            : { state: 'failed', message: words(`signup.invited_${facts.status}`) },
        )
      },
      (error: unknown) => !stopped && setFound({ state: 'failed', message: fullMessage(toApiError(error)) }),
    )
    return () => {
      stopped = true
    }
  }, [token])
  return found
}
