import { useEffect, useState } from 'react'
import { toApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import type { InvitationDetails } from '#shared/doctypes/member-invite.ts'
import { tSignup } from './messages.ts'

/** State of the invitation that a signup started from. */
export type InvitationState =
  | { state: 'none' | 'busy' }
  | { state: 'failed'; message: string }
  | { state: 'open'; token: string; details: InvitationDetails }

/** Loads the invitation of a token; null if there is no token. */
export function useInvitation(token: string | null): InvitationState {
  const [found, setFound] = useState<InvitationState>({ state: token ? 'busy' : 'none' })
  useEffect(() => {
    if (!token) return
    let stopped = false
    // Loaded lazily: most signups have no invitation.
    const check = import('#web/lib/session/invitation.ts').then((module) => module.checkInvitation(token))
    check.then(
      (details) => {
        if (stopped) return
        setFound(
          details.status === 'pending'
            ? { state: 'open', token, details }
            : { state: 'failed', message: tSignup(`signup.invited_${details.status}`) },
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
