import { useId, useRef, useState, type FormEvent, type KeyboardEvent } from 'react'
import type { InviteResult } from '#shared/responses/invitations.ts'
import { inviteDays } from '#shared/doctypes/member-invite.ts'
import { counted } from '#web/documents/list/counted.ts'
import { roleHint, roleLabel, rolesToGive } from '#web/features/members/member-roles.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/form-errors.ts'
import { useSession, type OrganizationRole } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { translateSentence } from '#web/lib/i18n/translation.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { AddressField } from './address-field.tsx'
import { judge, mostInvited, splitAddresses, withAddresses } from './addresses.ts'
import { t } from './messages.ts'
import type { Person } from './people.ts'

const formId = 'invite-members'

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
  const roles = rolesToGive(organization?.role)
  const form = useRef<HTMLFormElement>(null)
  const [emails, setEmails] = useState<string[]>([])
  const [text, setText] = useState('')
  const [role, setRole] = useState<OrganizationRole>('Organization User')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [sent, setSent] = useState<readonly string[]>([])
  /** What to do if not every invitation was emailed. */
  const [hint, setHint] = useState<string | null>(null)

  const complain = (problem: string | null) => {
    setError(problem)
    form.current?.querySelector<HTMLInputElement>('input[name=emails]')?.focus()
  }
  const send = async (wanted: readonly string[]) => {
    setBusy(true)
    setFailure(null)
    setError(null)
    setProblems({})
    try {
      const results = await call<InviteResult[]>('easydash.api.organization.invite_members', {
        users: wanted,
        organization_role: role,
        organization: organization?.name,
      })
      const done = results.filter((result) => result.status === 'pending').map((result) => result.user)
      const unmailed = unmailedHint(results)
      const refused = results.filter((result) => result.status === 'failed')
      if (done.length > 0) onInvited()
      if (refused.length === 0) {
        onClose()
        const count = counted(sent.length + done.length)
        showToast(
          unmailed === null
            ? { title: t('invite.sent', count), description: t('invite.sent_to'), variant: 'success' }
            : { title: t('invite.made', count), description: unmailed, variant: 'info' },
        )
        return
      }
      setSent([...sent, ...done])
      setHint(unmailed)
      setEmails(refused.map((result) => result.user))
      setProblems(
        Object.fromEntries(
          refused.map((result) => [result.user, translateSentence?.(result.sentence) ?? result.message ?? '']),
        ),
      )
    } catch (thrown) {
      setFailure(fullMessage(toApiError(thrown)))
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const wanted = withAddresses(emails, splitAddresses(text))
    setEmails(wanted)
    setText('')
    if (wanted.length === 0) return complain(t('invite.none'))
    if (wanted.length > mostInvited) return complain(t('invite.too_many'))
    // The field shows the first invalid email itself.
    if (wanted.some((email) => judge(email).problem !== null)) return complain(null)
    void send(wanted)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    form.current?.requestSubmit()
  }
  const typed = withAddresses(emails, splitAddresses(text))
  const ready = typed.filter((email) => judge(email).problem === null && problems[email] === undefined).length

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !busy) onClose()
      }}
      title={t('invite.title')}
      width="md:w-[540px]"
      footer={
        <>
          <span className="mr-auto self-center text-meta text-muted max-md:w-full">
            {t('invite.last', counted(inviteDays))}
          </span>
          <Button className="max-md:flex-1" onClick={onClose}>
            {t(sent.length > 0 ? 'invite.close' : 'invite.cancel')}
          </Button>
          <Button type="submit" form={formId} variant="primary" className="max-md:flex-1" busy={busy}>
            {t('invite.send', counted(Math.max(1, ready)))}
          </Button>
        </>
      }
    >
      <form ref={form} id={formId} noValidate className="grid gap-5" onSubmit={submit} onKeyDown={onKeyDown}>
        {failure ? <Notice tone="bad">{failure}</Notice> : null}
        {sent.length > 0 ? <Sent sent={sent} failed={emails.length} hint={hint} /> : null}
        <AddressField
          emails={emails}
          text={text}
          problems={problems}
          error={error}
          people={people}
          onEmails={(next) => {
            setEmails(next)
            setError(null)
          }}
          onText={(next) => {
            setText(next)
            setError(null)
          }}
        />
        <RoleChoice roles={roles} role={role} onRole={setRole} />
      </form>
    </Dialog>
  )
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
        {t(hint === null ? 'invite.sent' : 'invite.made', counted(sent.length))}
        {failed > 0 ? `, ${t('invite.partly', counted(failed))}` : ''}
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
