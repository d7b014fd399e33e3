import { createCatalog } from '#web/lib/i18n/catalog.ts'
import { isGranted } from '#web/lib/api/plan-limits.ts'
import type { GateReason } from '#web/lib/routing/redirect-reason.ts'
import { useSession } from '#web/lib/session/session.tsx'

const t = createCatalog({
  login_needed: 'Log in to open this page.',
  session_ended: 'You were logged out. Log in to go on where you were.',
  no_answer: 'The server did not answer. This page tries again by itself and then leads you back.',
  organization_switched:
    'You work in this organization now: you switched in another tab or browser, or left the one before.',
  verify_needed: 'Your account needs to be confirmed first; then everything opens.',
  organization_needed: 'Create an organization first, or ask for an invitation to one.',
  site_limit: 'The plan has no room for another site. The owner of the organization can change the plan.',
  server_limit: 'The plan has no room for another server. The owner of the organization can change the plan.',
  own_site_limit: 'Your plan has no room for another site. Archive one, or change the plan under Billing.',
  own_server_limit: 'Your plan has no room for another server. Change the plan under Billing.',
  granted_limit: 'The limit is reached. The platform admin can raise it.',
  managers_only: 'This page is for admins and managers. An admin of the organization can change your role.',
  admins_only: 'This page is for admins. An admin of the organization can change your role.',
  owner_only: 'This page is for the owner of the organization.',
  owner_is: 'The owner is {owner}.',
})

/** Reasons that only the owner can resolve. */
const ownersReasons: readonly GateReason[] = ['site_limit', 'server_limit', 'owner_only']

/** Texts for the owner, who is not told to ask the owner. */
const ownLimits: Readonly<Partial<Record<GateReason, 'own_site_limit' | 'own_server_limit'>>> = {
  site_limit: 'own_site_limit',
  server_limit: 'own_server_limit',
}

/** The text, with the owner's email if known and the user isn't the owner. Its texts are loaded lazily. */
export function RedirectReasonText({ reason }: { reason: GateReason }) {
  const { organization, subscription } = useSession()
  const owner = ownersReasons.includes(reason) && !organization?.owner ? subscription?.user : null
  const limited = reason === 'site_limit' ? 'site' : reason === 'server_limit' ? 'server' : null
  // No plan raises a limit that was granted, whoever reads this.
  if (limited !== null && subscription && isGranted(subscription, limited)) return <Reason>{t('granted_limit')}</Reason>
  const own = organization?.owner ? ownLimits[reason] : undefined
  return <Reason>{owner ? `${t(reason)} ${t('owner_is', { owner })}` : t(own ?? reason)}</Reason>
}

function Reason({ children }: { children: string }) {
  return <output className="mb-4 block rounded-card bg-info-bg px-3 py-2.5 text-table text-info">{children}</output>
}
