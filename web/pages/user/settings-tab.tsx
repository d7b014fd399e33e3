import { useEffect, useRef, type ReactNode } from 'react'
import { sessionRows } from '#shared/responses/sessions.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'
import type { User } from '#shared/doctypes/user.ts'
import { EditForm } from '#web/documents/form/edit-form.tsx'
import { useDoc, useMethod } from '#web/lib/api/frappe.tsx'
import { cardParam, type SettingsCard } from '#web/lib/routing/page-tabs.ts'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { ApiTokensCard } from './api-tokens-card.tsx'
import { LoginLinksCard } from './login-links-card.tsx'
import { MailsCard } from './mails-card.tsx'
import { MembershipCard } from './membership-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { PreferencesCard } from './preferences-card.tsx'
import { SecondFactorCard } from '#web/features/two-factor/second-factor-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { tSettings } from './settings-messages.ts'
import { SshKeysCard } from './ssh-keys-card.tsx'

/** Private account settings. */
export function SettingsTab({ user }: { user: User }) {
  const sessions = useMethod('easydash.api.sessions.list', {}, { returns: sessionRows })
  // Changing the password or two-factor authentication ends other sessions.
  const readSessions = () => void sessions.reload()
  return (
    <div className="grid max-w-4xl gap-4">
      <Target card="password">
        <PasswordCard user={user} onChanged={readSessions} />
      </Target>
      <Target card="two_factor">
        <SecondFactorCard user={user.name} onChanged={readSessions} />
      </Target>
      <Target card="sessions">
        <SessionsCard sessions={sessions} />
      </Target>
      <LoginLinksCard onUnlinked={readSessions} />
      <Target card="ssh">
        <SshKeysCard user={user.name} />
      </Target>
      <ApiTokensCard user={user.name} />
      <PreferencesCard user={user} />
      <Target card="mails">
        <MailsCard user={user} />
      </Target>
      <MembershipCard />
      <ExternalUsernames user={user.name} />
    </div>
  )
}

/** A card that the URL can name: it is scrolled into view and its heading gets the focus. */
function Target({ card, children }: { card: SettingsCard; children: ReactNode }) {
  const area = useRef<HTMLDivElement>(null)
  const [params, setParams] = useSearchParams()
  const isNamed = params.get(cardParam) === card
  useEffect(() => {
    if (!isNamed) return
    // After the page's own arrival, which scrolls to the top.
    const frame = requestAnimationFrame(() => {
      const heading = area.current?.querySelector('h2')
      if (heading) {
        heading.tabIndex = -1
        heading.focus({ preventScroll: true })
        area.current?.scrollIntoView({ block: 'center' })
      }
      setParams(
        (current) => {
          const next = new URLSearchParams(current)
          next.delete(cardParam)
          return next
        },
        { replace: true },
      )
    })
    return () => cancelAnimationFrame(frame)
  }, [isNamed, setParams])
  return <div ref={area}>{children}</div>
}

/** Usernames on servers and on GitHub. */
function ExternalUsernames({ user }: { user: string }) {
  const meta = useDoc('User Meta', user)
  if (meta.error && !meta.data)
    return <ErrorPanel title={tSettings('names.error')} error={meta.error} onRetry={() => meta.reload()} />
  if (!meta.data) return <Skeleton className="h-40 w-full rounded-card" />
  return (
    <EditForm
      key={meta.data.name}
      type={UserMetaDoctype}
      doc={{ ...meta.data, doctype: 'User Meta' }}
      label={tSettings('names.form')}
      sections={[{ title: tSettings('names.title'), names: ['ssh_username', 'github_username'] }]}
      fields={{
        ssh_username: { label: tSettings('names.ssh'), hint: tSettings('names.ssh_hint') },
        github_username: { label: tSettings('names.github') },
      }}
    />
  )
}
