import { useEffect, useState } from 'react'
import type { LinkSent, WaitingFor } from '#shared/responses/verification.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { boot } from '#web/lib/session/boot.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { logOut } from '#web/lib/session/log-out.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { useNow } from '#web/lib/browser/use-now.ts'
import { Button } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { ChangeAddress } from './change-address.tsx'
import { tVerify } from './messages.ts'

/** Delay before another link can be requested, in seconds. */
const resendPause = 60
/** How often to check whether the link was opened elsewhere. */
const pollMs = 3000

/** Redirects once the email is confirmed, in any window. */
function useAdvance(email: string, refresh: () => Promise<void>): void {
  useEffect(() => {
    let stopped = false
    let timer: ReturnType<typeof setTimeout>
    const ask = async (): Promise<void> => {
      try {
        const verified = !document.hidden && (await call<boolean>('easydash.api.user.is_verified', { email }))
        if (verified && !stopped) return await refresh()
      } catch {
        // Retried with the next poll; the page stays as it is.
      }
      if (!stopped) timer = setTimeout(() => void ask(), pollMs)
    }
    timer = setTimeout(() => void ask(), pollMs)
    return () => {
      stopped = true
      clearTimeout(timer)
    }
  }, [email, refresh])
}

/** How often to check whether the invitation is still open. */
const invitationPollMs = 30_000

/** Who confirms the account where no email can; null if nobody, or if that is unknown; undefined while loading. */
function useWaitingFor(): WaitingFor | null | undefined {
  const [waiting, setWaiting] = useState<WaitingFor | null | undefined>(boot().mail_server ? null : undefined)
  const isAsked = waiting !== null
  useEffect(() => {
    if (!isAsked) return
    const ask = (): void =>
      void call<WaitingFor | null>('easydash.api.account.waiting_for').then(
        (found) => setWaiting(found ?? null),
        // What is known stays on the page.
        () => setWaiting((known) => known ?? null),
      )
    ask()
    const timer = setInterval(ask, invitationPollMs)
    return () => clearInterval(timer)
  }, [isAsked])
  return waiting
}

/** Waits for a colleague where no email can confirm the account, else for the link of the email. */
export function WaitForConfirmation() {
  const waiting = useWaitingFor()
  if (waiting === undefined) return null
  return waiting ? <WaitForColleague waiting={waiting} /> : <WaitForLink />
}

/** Who confirms the account, or sends a new invitation if that has ended. */
function WaitForColleague({ waiting: { organization, invited_by, ended } }: { waiting: WaitingFor }) {
  const { email, refresh } = useSession()
  useAdvance(email, refresh)
  const people = { inviter: invited_by ?? '', organization: organization ?? '', email }
  const lead = organization === null ? 'verify.withdrawn_lead' : ended ? 'verify.ended_lead' : 'verify.waiting_lead'
  return (
    <PublicLayout
      title={tVerify(ended ? 'verify.ended_title' : 'verify.waiting_title')}
      lead={tVerify(lead, people)}
      foot={ended ? undefined : tVerify('verify.waiting_foot')}
    >
      <div className="grid gap-3">
        <Notice tone="info">{tVerify(ended ? 'verify.ended_hint' : 'verify.waiting_hint')}</Notice>
        <Button size="xl" variant="ghost" block onClick={() => logOut()}>
          {t('shell.logout')}
        </Button>
      </div>
    </PublicLayout>
  )
}

/** Shows the address of the link; requests a new one, changes the address, or logs out. */
function WaitForLink() {
  const { email, refresh } = useSession()
  const { mail_server } = boot()
  const [changing, setChanging] = useState(false)
  const [busy, setBusy] = useState(false)
  const [sentAt, setSentAt] = useState<number | null>(null)
  const [notice, setNotice] = useState<{ tone: 'ok' | 'info' | 'bad'; text: string } | null>(null)
  const now = useNow(sentAt === null ? null : 1000)
  const wait = sentAt === null ? 0 : Math.min(resendPause, Math.max(0, Math.ceil(resendPause - (now - sentAt) / 1000)))
  useAdvance(email, refresh)

  const announce = (sent: LinkSent): void => {
    setSentAt(Date.now())
    const values = { email: sent.email }
    setNotice(
      sent.mail_server
        ? { tone: 'ok', text: tVerify('verify.resent', values) }
        : { tone: 'info', text: tVerify('verify.kept', values) },
    )
  }
  const resend = async (): Promise<void> => {
    setBusy(true)
    try {
      announce(await call<LinkSent>('easydash.api.account.resend_verification'))
    } catch (error) {
      setNotice({ tone: 'bad', text: fullMessage(toApiError(error)) })
    } finally {
      setBusy(false)
    }
  }

  return (
    <PublicLayout
      title={tVerify('verify.title')}
      lead={
        <>
          {tVerify(mail_server ? 'verify.lead' : 'verify.kept_lead')}{' '}
          <strong className="font-medium wrap-anywhere text-fg">{email}</strong>
        </>
      }
      foot={tVerify('verify.foot')}
    >
      <div className="grid gap-3">
        {notice && <Notice tone={notice.tone}>{notice.text}</Notice>}
        {!notice && !mail_server && <Notice tone="info">{tVerify('verify.kept_hint')}</Notice>}
        {changing ? (
          <ChangeAddress
            onDone={(sent) => {
              setChanging(false)
              announce(sent)
              void refresh()
            }}
            onCancel={() => setChanging(false)}
          />
        ) : (
          <>
            <Button variant="primary" size="xl" block busy={busy} disabled={wait > 0} onClick={() => void resend()}>
              {wait > 0
                ? tVerify(mail_server ? 'verify.resend_in' : 'verify.renew_in', { seconds: wait })
                : tVerify(mail_server ? 'verify.resend' : 'verify.renew')}
            </Button>
            <Button size="xl" block onClick={() => setChanging(true)}>
              {tVerify('verify.change')}
            </Button>
            <Button size="xl" variant="ghost" block onClick={() => logOut()}>
              {t('shell.logout')}
            </Button>
          </>
        )}
      </div>
    </PublicLayout>
  )
}
