import { Send } from 'lucide-react'
import { boot } from '#web/lib/session/boot.ts'
import { Button } from '#web/ui/button.tsx'
import { t } from './messages.ts'
import type { Person } from './people.ts'
import type { MemberActions } from './use-member-actions.tsx'

/**
 * What the row of an invitation asks its reader to do: confirm who waits for it, else pass the invitation on. `room`: for the link
 * as well, where emails are sent; `card`: only what can't wait for the menu.
 */
export function InvitationButtons({
  person,
  actions,
  room,
}: {
  person: Person
  actions: Pick<MemberActions, 'confirm' | 'resend' | 'copyLink'>
  room: 'wide' | 'narrow' | 'card'
}) {
  const to = <span className="sr-only"> {person.user}</span>
  if (person.signed_up !== null)
    return (
      <Button size="md" variant="primary" onClick={() => void actions.confirm(person)}>
        {t('act.confirm')}
        {to}
      </Button>
    )
  const copy = (variant: 'default' | 'ghost') => (
    <Button size="md" variant={variant} onClick={() => void actions.copyLink(person)}>
      {t('act.copy_link')}
      {to}
    </Button>
  )
  // Without a mail server nothing is sent, so the link is what the inviter needs; a new one is in the menu.
  if (!boot().mail_server) return copy('default')
  if (room === 'card') return null
  return (
    <>
      {room === 'wide' ? copy('ghost') : null}
      <Button size="md" onClick={() => void actions.resend(person)}>
        <Send size={14} strokeWidth={1.75} aria-hidden="true" className="text-muted" />
        {t('act.resend')}
        {to}
      </Button>
    </>
  )
}
