import { useState } from 'react'
import { organizationRoles, type OrganizationRole } from '#shared/doctypes/organization-member.ts'
import type { User } from '#shared/doctypes/user.ts'
import { changeRole } from '#web/features/members/change-role.ts'
import { TransferOwnershipDialog, RemoveMember, type MemberSubject } from '#web/features/members/member-dialogs.tsx'
import { roleHint } from '#web/features/members/member-roles.ts'
import { roleLabel } from '#web/features/members/role-label.ts'
import { useDoc, useList } from '#web/lib/api/frappe.tsx'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { RadioCard, RadioCards } from '#web/ui/form/radio-card.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { t } from './messages.ts'
import { SharedSites } from './shared-sites.tsx'

interface MemberRow {
  name: string
  organization_role: OrganizationRole
}

/** A user's role in the current organization, the sites shared with them, and actions to end both. */
export function RolesTab({ user }: { user: User }) {
  const session = useSession()
  const { organization } = session
  const slug = organization?.name ?? ''
  const rows = useList('Organization Member', {
    fields: ['name', 'organization_role'],
    filters: [
      ['parent', '=', slug],
      ['user', '=', user.name],
    ],
    limit: 1,
  })
  const organizationDoc = useDoc('Organization', slug)
  const owner = organizationDoc.data?._owner
  const member = rows.data?.[0]
  const unread = [rows, organizationDoc].find(({ data, error }) => error && !data)
  if (unread) return <ErrorPanel title={t('roles.error_title')} error={unread.error} onRetry={() => unread.reload()} />
  if (rows.data === undefined || owner === undefined) return <Skeleton className="h-64 w-full rounded-card" />
  if (!member) return <p className="text-muted">{t('roles.not_member', { organization: organization?.title ?? '' })}</p>
  const name = user.full_name ?? user.name
  return (
    <div className="grid max-w-4xl gap-4">
      <RoleCard
        member={member}
        name={name}
        fixed={owner === user.name ? t('roles.of_owner') : session.user === user.name ? t('roles.own') : null}
        onRole={(role) => rows.reload([{ ...member, organization_role: role }])}
      />
      <SharedSites user={user.name} name={name} role={member.organization_role} />
      {owner === user.name || session.user === user.name ? null : (
        <EndCard member={{ row: member.name, user: user.name, name }} role={member.organization_role} />
      )}
    </div>
  )
}

/** The three roles. A change is saved immediately and reverted on a denial. */
function RoleCard({
  member,
  name,
  fixed,
  onRole,
}: {
  member: MemberRow
  name: string
  /** Why it can't be changed; null if it can. */
  fixed: string | null
  /** Shows a role optimistically. */
  onRole: (role: OrganizationRole) => Promise<void>
}) {
  const { organization } = useSession()
  const choose = (role: OrganizationRole) =>
    changeRole({ row: member.name, name, from: member.organization_role, to: role, show: onRole })
  return (
    <Card>
      <CardHead title={t('roles.title', { organization: organization?.title ?? '' })} />
      <CardBody>
        {fixed ? <p className="mb-3 text-table text-muted">{fixed}</p> : null}
        <RadioCards legend={<span className="sr-only">{t('roles.legend')}</span>} className="md:grid-cols-3">
          {organizationRoles.map((role) => (
            <RadioCard
              key={role}
              name="organization_role"
              value={role}
              title={roleLabel(role)}
              description={roleHint(role)}
              disabled={fixed !== null && role !== member.organization_role}
              checked={role === member.organization_role}
              onChange={() => void choose(role)}
            />
          ))}
        </RadioCards>
      </CardBody>
    </Card>
  )
}

/** Transfer and removal, if the viewer is allowed to. */
function EndCard({ member, role }: { member: MemberSubject; role: OrganizationRole }) {
  const session = useSession()
  const [open, setOpen] = useState<'owner' | 'remove' | null>(null)
  const close = () => setOpen(null)
  return (
    <Card>
      <CardHead title={t('roles.end')} />
      <CardBody className="grid gap-3">
        {sessionRoles(session).owner && role === 'Organization Admin' ? (
          <Act hint={t('roles.make_owner_hint')} label={t('roles.make_owner')} onStart={() => setOpen('owner')} />
        ) : null}
        <Act hint={t('roles.remove_hint')} label={t('roles.remove')} onStart={() => setOpen('remove')} />
      </CardBody>
      {open === 'owner' ? <TransferOwnershipDialog member={member} onClose={close} /> : null}
      {open === 'remove' ? <RemoveMember member={member} onClose={close} /> : null}
    </Card>
  )
}

function Act({ hint, label, onStart }: { hint: string; label: string; onStart: () => void }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="min-w-0 flex-1 basis-60 text-table text-muted">{hint}</p>
      <Button onClick={onStart}>{label}</Button>
    </div>
  )
}
