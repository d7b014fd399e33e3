import { organizationRoles } from '#shared/doctypes/organization-member.ts'
import { assignableRoles } from '#web/features/members/member-roles.ts'
import { roleLabel } from '#web/features/members/role-label.ts'
import { boot } from '#web/lib/session/boot.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { MenuItem, MenuSeparator } from '#web/ui/overlay/menu.tsx'
import { t } from './messages.ts'
import type { Person } from './people.ts'
import type { MemberActions } from './use-member-actions.tsx'

/** Whether the viewer can resend, copy and revoke this invitation: roles above their own can't be assigned. */
export function canInvite(person: Person, own: Parameters<typeof assignableRoles>[0]): boolean {
  return person.kind === 'invitation' && assignableRoles(own).includes(person.organization_role)
}

/** Menu of a row. Actions the viewer's role never has are hidden; those this row doesn't allow show the reason. */
export function PersonMenu({ person, actions }: { person: Person; actions: MemberActions }) {
  const { organization } = useSession()
  const admin = organization?.role === 'Organization Admin'
  const owner = organization?.owner ?? false
  if (person.kind === 'invitation') {
    return (
      <>
        {person.signed_up === null ? null : (
          <MenuItem onSelect={() => void actions.confirm(person)}>{t('act.confirm')}</MenuItem>
        )}
        <MenuItem onSelect={() => void actions.resend(person)}>
          {t(boot().mail_server ? 'act.resend' : 'act.renew')}
        </MenuItem>
        <MenuItem onSelect={() => void actions.copyLink(person)}>{t('act.copy_link')}</MenuItem>
        <MenuSeparator />
        <MenuItem danger onSelect={() => actions.ask('revoke', person)}>
          {t('act.revoke')}
        </MenuItem>
      </>
    )
  }
  const fixed = person.is_owner ? t('act.owner_role') : person.self ? t('act.own_role') : null
  return (
    <>
      <MenuItem href={`/user/${encodeURIComponent(person.user)}`}>{t('act.open')}</MenuItem>
      {admin ? (
        <>
          <MenuSeparator />
          {organizationRoles
            .filter((role) => role !== person.organization_role)
            .map((role) => (
              <MenuItem key={role} reason={fixed} onSelect={() => void actions.changeRole(person, role)}>
                {t('act.role', { role: roleLabel(role) })}
              </MenuItem>
            ))}
        </>
      ) : null}
      {owner && !person.self && person.organization_role === 'Organization Admin' ? (
        <MenuItem onSelect={() => actions.ask('owner', person)}>{t('act.make_owner')}</MenuItem>
      ) : null}
      {person.self ? (
        <>
          <MenuSeparator />
          <MenuItem
            danger
            reason={person.is_owner ? t('act.owner_stays') : null}
            onSelect={() => actions.ask('leave', person)}
          >
            {t('act.leave')}
          </MenuItem>
        </>
      ) : admin && !person.is_owner ? (
        <>
          {boot().mail_server ? null : (
            <MenuItem onSelect={() => actions.ask('new_password', person)}>{t('act.new_password')}</MenuItem>
          )}
          <MenuSeparator />
          <MenuItem danger onSelect={() => actions.ask('remove', person)}>
            {t('act.remove')}
          </MenuItem>
        </>
      ) : null}
    </>
  )
}
