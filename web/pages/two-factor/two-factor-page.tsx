import { useState } from 'react'
import { LeaveOrganization } from '#web/features/members/member-dialogs.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { SecondFactorCard } from '#web/features/two-factor/second-factor-card.tsx'
import { logOut } from '#web/lib/session/log-out.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Link } from '#web/lib/routing/router.tsx'
import { Button } from '#web/ui/button.tsx'
import { t } from './messages.ts'

/** For members who still lack the two-factor authentication that their organization requires: they set it up here. */
export function TwoFactorPage() {
  const { user, organization, organizations, refresh } = useSession()
  const [isOn, setOn] = useState(false)
  const [leaving, setLeaving] = useState(false)
  const [busy, setBusy] = useState(false)
  const title = organization?.title ?? ''
  const others = organizations.filter(({ name, two_factor_needed: needed }) => name !== organization?.name && !needed)
  return (
    <PublicLayout
      title={t('needed.title', { organization: title })}
      lead={isOn ? t('needed.done') : t('needed.lead')}
      foot={
        <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
          {others.map(({ name, title: other }) => (
            <Link key={name} to={`/organization/${encodeURIComponent(name)}`} className="link">
              {other}
            </Link>
          ))}
          {organization?.owner || isOn ? null : (
            <button type="button" className="link" onClick={() => setLeaving(true)}>
              {t('needed.leave', { organization: title })}
            </button>
          )}
          <button type="button" className="link" onClick={() => logOut()}>
            {t('needed.logout')}
          </button>
        </span>
      }
    >
      <div className="grid gap-4">
        <SecondFactorCard required user={user ?? ''} onChanged={() => setOn(true)} />
        {isOn ? (
          // The recovery codes are shown first, so the page waits.
          <Button
            variant="primary"
            size="xl"
            block
            busy={busy}
            onClick={() => {
              setBusy(true)
              void refresh().finally(() => setBusy(false))
            }}
          >
            {t('needed.continue', { organization: title })}
          </Button>
        ) : null}
      </div>
      {leaving ? <LeaveOrganization onClose={() => setLeaving(false)} /> : null}
    </PublicLayout>
  )
}
