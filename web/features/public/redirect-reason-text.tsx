import { createCatalog } from '#web/lib/i18n/catalog.ts'
import type { GateReason } from '#web/lib/routing/redirect-reason.ts'
import { useSession } from '#web/lib/session/session.tsx'

const t = createCatalog({
  login_needed: 'Log in to open this page.',
  session_ended: 'You were logged out. Log in to go on where you were.',
  no_answer: 'The server did not answer. This page tries again by itself and then leads you back.',
  organization_switched:
    'You work in this organization now: you switched in another tab or browser, or left the one before.',
  verify_needed: 'Confirm your email first; then everything opens.',
  organization_needed: 'Create an organization first, or ask for an invitation to one.',
  site_limit: 'The plan has no room for another site. The owner of the organization can change the plan.',
  server_limit: 'The plan has no room for another server. The owner of the organization can change the plan.',
  managers_only: 'This page is for admins and managers. An admin of the organization can change your role.',
  admins_only: 'This page is for admins. An admin of the organization can change your role.',
  owner_only: 'This page is for the owner of the organization.',
  owner_is: 'The owner is {owner}.',
})

/** Reasons that only the owner can resolve. */
const ownersReasons: readonly GateReason[] = ['site_limit', 'server_limit', 'owner_only']

/** The text, with the owner's email if known and the user isn't the owner. Its texts are loaded lazily. */
export function RedirectReasonText({ reason }: { reason: GateReason }) {
  const { organization, subscription } = useSession()
  const owner = ownersReasons.includes(reason) && !organization?.owner ? subscription?.user : null
  return (
    <output className="mb-4 block rounded-card bg-info-bg px-3 py-2.5 text-table text-info">
      {owner ? `${t(reason)} ${t('owner_is', { owner })}` : t(reason)}
    </output>
  )
}
