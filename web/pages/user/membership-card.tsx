import { useState } from 'react'
import { LeaveOrganization } from '#web/features/members/member-dialogs.tsx'
import { roleLabel } from '#web/features/members/role-label.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { OrganizationMark } from '#web/features/organizations/organization-mark.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { tSettings } from './settings-messages.ts'

/** The user's organizations: role, link, and leaving the current one. */
export function MembershipCard() {
  const { organization: current, organizations } = useSession()
  const [leaving, setLeaving] = useState(false)
  return (
    <Card>
      <CardHead title={tSettings('membership.title')} />
      {organizations.length === 0 ? (
        <CardBody>
          <p className="text-table text-muted">{tSettings('membership.none')}</p>
        </CardBody>
      ) : (
        <ul aria-label={tSettings('membership.title')} className="divide-y divide-hairline border-t border-hairline">
          {organizations.map((one) => {
            const here = one.name === current?.name
            const owner = here && current.owner
            return (
              <li key={one.name} className="flex min-h-16 items-center gap-3 px-4 py-2">
                <OrganizationMark name={one.title} />
                <div className="min-w-0 flex-1">
                  <p className="flex flex-wrap items-center gap-x-2 font-medium">
                    <span className="wrap-anywhere">{one.title}</span>
                    {here ? <Tag tone="ok">{tSettings('membership.current')}</Tag> : null}
                  </p>
                  <p className="text-table text-muted">
                    {roleLabel(owner ? 'Owner' : one.role)}
                    {owner ? <span className="block text-meta">{tSettings('membership.owner_hint')}</span> : null}
                  </p>
                </div>
                {here ? (
                  owner ? null : (
                    <Button
                      size="md"
                      aria-label={tSettings('membership.leave_of', { organization: one.title })}
                      onClick={() => setLeaving(true)}
                    >
                      {tSettings('membership.leave')}
                    </Button>
                  )
                ) : (
                  <ButtonLink
                    size="md"
                    to={`/organization/${encodeURIComponent(one.name)}`}
                    aria-label={tSettings('membership.switch_to', { organization: one.title })}
                  >
                    {tSettings('membership.switch')}
                  </ButtonLink>
                )}
              </li>
            )
          })}
        </ul>
      )}
      {leaving ? <LeaveOrganization onClose={() => setLeaving(false)} /> : null}
    </Card>
  )
}
