import { useId, useState, type FormEvent, type KeyboardEvent } from 'react'
import { useController, useWatch } from 'react-hook-form'
import type { InviteResult } from '#shared/responses/invitations.ts'
import { inviteDays } from '#shared/doctypes/member-invite.ts'
import { roleHint, assignableRoles } from '#web/features/members/member-roles.ts'
import { roleLabel } from '#web/features/members/role-label.ts'
import { call } from '#web/lib/api/api.ts'
import { boot } from '#web/lib/session/boot.ts'
import { useSession } from '#web/lib/session/session.tsx'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { translateMessage } from '#web/lib/i18n/translation.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { AddressField } from './address-field.tsx'
import { validateAddress, maxInvited, splitAddresses, withAddresses } from './addresses.ts'
import { t } from './messages.ts'
import type { Person } from './people.ts'

const formId = 'invite-members'

interface Values {
  emails: string[]
  /** Typed, but not one of `emails` yet. */
  text: string
  role: OrganizationRole
}

/** Invites several users with one role. Failed emails stay in the input with their reason; the others are listed as sent. */
export function InviteDialog({
  people,
  onClose,
  onInvited,
}: {
  people: readonly Person[]
  onClose: () => void
  onInvited: () => void
}) {
  const { organization } = useSession()
  const roles = assignableRoles(organization?.role)
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  /** Of the submissions before, those that were not refused. */
  const [made, setMade] = useState<readonly InviteResult[]>([])
  const sent = made.map((result) => result.user)
  /** What to do if not every invitation was emailed. */
  const [hint, setHint] = useState<string | null>(null)

  const form = useApiForm<Values>({
    defaultValues: { emails: [], text: '', role: 'Organization User' },
    send: async ({ emails, role }) => {
      setProblems({})
      const results = await call<InviteResult[]>('easydash.api.organization.invite_members', {
        users: emails,
        organization_role: role,
        organization: organization?.name,
      })
      const done = results.filter((result) => result.status === 'pending')
      const unmailed = unmailedHint([...made, ...results])
      const failed = results.filter((result) => result.status === 'failed')
      if (done.length > 0) onInvited()
      if (failed.length === 0) {
        onClose()
        const count = { count: sent.length + done.length }
        showToast(
          unmailed === null
            ? { title: t('invite.sent', count), description: t('invite.sent_to'), variant: 'success' }
            : { title: t('invite.made', count), description: unmailed, variant: 'info' },
        )
        return
      }
      setMade([...made, ...done])
      setHint(unmailed)
      form.setValue(
        'emails',
        failed.map((result) => result.user),
      )
      setProblems(
        Object.fromEntries(
          failed.map((result) => [result.user, translateMessage?.(result.message_i18n) ?? result.message ?? '']),
        ),
      )
    },
  })
  const { field } = useController({ control: form.control, name: 'emails', rules: { validate: checkEmails } })
  const emails = field.value
  const [text, role] = useWatch({ control: form.control, name: ['text', 'role'] })
  const typed = withAddresses(emails, splitAddresses(text))
  const ready = typed.filter((email) => validateAddress(email).problem === null && problems[email] === undefined).length

  const submit = (event: FormEvent) => {
    if (!form.busy) form.setValues({ emails: typed, text: '' })
    form.props.onSubmit(event)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    event.currentTarget.requestSubmit()
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !form.busy) onClose()
      }}
      title={t('invite.title')}
      width="md:w-[540px]"
      footer={
        <>
          <span className="mr-auto self-center text-meta text-muted max-md:w-full">
            {t('invite.last', { count: inviteDays })}
          </span>
          <Button className="max-md:flex-1" onClick={onClose}>
            {t(sent.length > 0 ? 'invite.close' : 'invite.cancel')}
          </Button>
          <Button type="submit" form={formId} variant="primary" className="max-md:flex-1" busy={form.busy}>
            {t(boot().mail_server ? 'invite.send' : 'invite.create', { count: Math.max(1, ready) })}
          </Button>
        </>
      }
    >
      <form {...form.props} id={formId} className="grid gap-5" onSubmit={submit} onKeyDown={onKeyDown}>
        {form.failure ? <Notice tone="bad">{form.failure}</Notice> : null}
        {sent.length > 0 ? <Sent sent={sent} failed={emails.length} hint={hint} /> : null}
        <AddressField
          emails={emails}
          text={text}
          problems={problems}
          error={form.errorOf('emails') || null}
          people={people}
          onEmails={(next) => {
            form.setValue('emails', next)
            form.clearErrors('emails')
          }}
          onText={(next) => {
            form.setValue('text', next)
            form.clearErrors('emails')
          }}
        />
        <RoleChoice roles={roles} role={role} onRole={(next) => form.setValue('role', next)} />
      </form>
    </Dialog>
  )
}

/** Validates the emails of an invitation. The message of an invalid one is empty: the field shows that itself. */
function checkEmails(emails: readonly string[]): string | true {
  if (emails.length === 0) return t('invite.none')
  if (emails.length > maxInvited) return t('invite.too_many')
  return emails.some((email) => validateAddress(email).problem !== null) ? '' : true
}

/** What to do about invitations that weren't emailed; null if all were. */
function unmailedHint(results: readonly InviteResult[]): string | null {
  if (results.some((result) => result.mail_server === false)) return t('invite.made_hint')
  const held = results.filter((result) => result.mailed === false).map((result) => result.user)
  return held.length > 0 ? t('invite.unmailed_hint', { users: held.join(', ') }) : null
}

function Sent({ sent, failed, hint }: { sent: readonly string[]; failed: number; hint: string | null }) {
  return (
    <div role="status" className="grid gap-2 rounded-card border border-border p-3 text-table">
      <p className="font-medium">
        {t(hint === null ? 'invite.sent' : 'invite.made', { count: sent.length })}
        {failed > 0 ? `, ${t('invite.partly', { count: failed })}` : ''}
      </p>
      {hint === null ? null : <p className="text-muted">{hint}</p>}
      <ul aria-label={t('invite.results')} className="flex flex-wrap gap-x-4 gap-y-1">
        {sent.map((email) => (
          <li key={email}>
            <StatusPill tone="ok">{email}</StatusPill>
          </li>
        ))}
      </ul>
    </div>
  )
}

function RoleChoice({
  roles,
  role,
  onRole,
}: {
  roles: readonly OrganizationRole[]
  role: OrganizationRole
  onRole: (role: OrganizationRole) => void
}) {
  const id = useId()
  return (
    <fieldset>
      <legend className="mb-1.5 text-table font-medium">{t('invite.role')}</legend>
      <div className="divide-y divide-hairline overflow-hidden rounded-card border border-border">
        {roles.map((one) => (
          <label
            key={one}
            htmlFor={`${id}-${one}`}
            className="flex min-h-10 cursor-pointer items-center gap-x-3 px-3 max-md:flex-wrap py-2 text-table has-checked:bg-[color-mix(in_oklab,var(--brand-bg)_45%,var(--surface))] has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-ring max-md:min-h-14"
          >
            <input
              type="radio"
              id={`${id}-${one}`}
              name="organization_role"
              value={one}
              checked={one === role}
              onChange={() => onRole(one)}
              className="size-4 shrink-0 appearance-none rounded-full border border-input bg-surface outline-none checked:border-[5px] checked:border-brand checked:bg-on-brand"
            />
            <span className="w-20 font-medium max-md:w-auto">{roleLabel(one)}</span>
            <span className="min-w-0 text-muted max-md:w-full max-md:pl-7">{roleHint(one)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
