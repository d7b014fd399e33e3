import { useState } from 'react'
import { organizationRoles } from '#shared/doctypes/organization-member.ts'
import { startBulk, type RowWork } from '#web/documents/bulk/bulk-run.ts'
import { roleLabel } from '#web/features/members/role-label.ts'
import { deleteDoc, runAction, updateDoc } from '#web/lib/api/api.ts'
import { boot } from '#web/lib/session/boot.ts'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import { Menu, MenuItem } from '#web/ui/overlay/menu.tsx'
import { t } from './messages.ts'
import type { Person } from './people.ts'

const noJob = { job: null }

/** The email of a person who is called by their name; null if it is what they are called. */
const emailBeside = ({ member, user }: Person) => (member === user ? null : user)

/** Bulk actions; each row reports its own outcome. Neither the owner nor the viewer can be selected. */
export function PeopleBulk({
  rows,
  canManage,
  onDone,
  clear,
}: {
  rows: readonly Person[]
  canManage: (person: Person) => boolean
  onDone: () => void
  clear: () => void
}) {
  const [confirming, setConfirming] = useState<'remove' | 'revoke' | null>(null)
  const members = rows.filter((person) => person.kind === 'member' && !person.is_owner && !person.self)
  const invitations = rows.filter(canManage)

  const start = (label: string, people: readonly Person[], work: RowWork) => {
    const wanted = people.map((person) => ({ name: person.name, title: person.member, detail: emailBeside(person) }))
    const begun = startBulk(
      { doctype: 'Person', label, noun: t(wanted.length === 1 ? 'bulk.noun_one' : 'bulk.noun'), rows: wanted },
      async (row) => {
        const done = await work(row)
        onDone()
        return done
      },
    )
    if (begun) clear()
    else showToast({ title: t('bulk.busy'), variant: 'warning' })
  }
  const giveRole = (role: OrganizationRole) =>
    start(
      t('bulk.role', { role: roleLabel(role) }),
      members.filter((person) => person.organization_role !== role),
      async ({ name }) => {
        await updateDoc('Organization Member', name, { organization_role: role })
        return noJob
      },
    )
  const resendLabel = t(boot().mail_server ? 'bulk.resend' : 'bulk.renew')
  const resend = () =>
    start(resendLabel, invitations, async ({ name }) => {
      await runAction('Member Invite', name, 'resend')
      return noJob
    })
  const remove = (kind: 'remove' | 'revoke') => {
    setConfirming(null)
    start(t(`bulk.${kind}`), kind === 'remove' ? members : invitations, async ({ name }) => {
      if (kind === 'remove') await deleteDoc('Organization Member', name)
      else await runAction('Member Invite', name, 'revoke')
      return noJob
    })
  }
  const count = confirming === 'remove' ? members.length : invitations.length

  if (members.length + invitations.length === 0) return <span className="px-1 text-muted">{t('bulk.none')}</span>
  return (
    <>
      {invitations.length > 0 ? (
        <>
          <Button size="sm" variant="ghost" onClick={resend}>
            {resendLabel}
          </Button>
          <Button size="sm" variant="ghost" className="text-bad" onClick={() => setConfirming('revoke')}>
            {t('bulk.revoke')}…
          </Button>
        </>
      ) : null}
      {members.length > 0 ? (
        <>
          <Menu trigger={<Button size="sm">{t('bulk.roles')}</Button>}>
            {organizationRoles.map((role) => (
              <MenuItem
                key={role}
                reason={members.every((person) => person.organization_role === role) ? t('bulk.same_role') : null}
                onSelect={() => giveRole(role)}
              >
                {t('bulk.role', { role: roleLabel(role) })}
              </MenuItem>
            ))}
          </Menu>
          <Button size="sm" variant="ghost" className="text-bad" onClick={() => setConfirming('remove')}>
            {t('bulk.remove')}…
          </Button>
        </>
      ) : null}
      {confirming ? (
        <AlertDialog
          open
          onOpenChange={(open) => {
            if (!open) setConfirming(null)
          }}
          title={t(confirming === 'remove' ? 'bulk.remove_title' : 'bulk.revoke_title', { count })}
          confirmLabel={t(`bulk.${confirming}`)}
          // For several users the number is typed, for one the name.
          confirmName={confirming === 'remove' ? String(count) : null}
          onConfirm={() => remove(confirming)}
        >
          <p>{t(confirming === 'remove' ? 'bulk.remove_text' : 'bulk.revoke_text')}</p>
          {confirming === 'remove' ? (
            <ul className="mt-2 list-disc pl-5">
              {members.slice(0, 5).map((person) => (
                <li key={person.name} className="wrap-anywhere">
                  {person.member} <span className="text-muted">{emailBeside(person)}</span>
                </li>
              ))}
              {members.length > 5 ? <li>{t('bulk.more', { count: members.length - 5 })}</li> : null}
            </ul>
          ) : null}
        </AlertDialog>
      ) : null}
    </>
  )
}
