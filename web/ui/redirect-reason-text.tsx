import { createCatalogue } from '#web/lib/catalogue.ts'
import type { GateReason } from '#web/lib/redirect-reason.ts'

const words = createCatalogue({
  login_needed: 'Log in to open this page.',
  verify_needed: 'Confirm your email first; then everything opens.',
  organization_needed: 'Create an organization first, or ask for an invitation to one.',
  site_limit: 'The plan has no room for another site. The owner of the organization can change the plan.',
  server_limit: 'The plan has no room for another server. The owner of the organization can change the plan.',
  managers_only: 'This page is for admins and managers. An admin of the organization can change your role.',
  admins_only: 'This page is for admins. An admin of the organization can change your role.',
  owner_only: 'This page is for the owner of the organization.',
})

/** The line itself; its texts are loaded only with it. */
export function RedirectReasonText({ reason }: { reason: GateReason }) {
  return (
    <output className="mb-4 block rounded-card bg-info-bg px-3 py-2.5 text-table text-info">{words(reason)}</output>
  )
}
