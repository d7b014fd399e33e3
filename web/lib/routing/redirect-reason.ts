/** Why a user was redirected; the texts are in the message catalog under `reason.`. */
export type GateReason =
  | 'login_needed'
  | 'session_ended'
  | 'no_answer'
  | 'organization_switched'
  | 'verify_needed'
  | 'organization_needed'
  | 'site_limit'
  | 'server_limit'
  | 'managers_only'
  | 'admins_only'
  | 'owner_only'

/** State passed to the next page in the browser history. */
export interface RedirectState {
  reason?: GateReason
}
