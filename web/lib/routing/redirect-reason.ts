/** Why somebody was sent elsewhere; the texts are in the message catalogue under `reason.`. */
export type GateReason =
  | 'login_needed'
  | 'session_ended'
  | 'organization_switched'
  | 'verify_needed'
  | 'organization_needed'
  | 'site_limit'
  | 'server_limit'
  | 'managers_only'
  | 'admins_only'
  | 'owner_only'

/** What a redirect tells the next page through the history's state. */
export interface RedirectState {
  reason?: GateReason
}
