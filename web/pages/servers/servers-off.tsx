import { Server as ServerIcon } from 'lucide-react'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { PageHead } from '#web/ui/page-head.tsx'
import { t } from './messages.ts'

/** Shown on the server pages if the module is off: explains who can turn it on. */
export function ServersOff() {
  const { admin, owner } = sessionRoles(useSession())
  return (
    <>
      <PageHead title={t('servers.title')} />
      <div className="rounded-card border border-border bg-surface shadow-xs">
        <EmptyState
          icon={<ServerIcon size={20} strokeWidth={1.75} />}
          title={t('servers.off_title')}
          action={
            admin || owner ? (
              <ButtonLink to="/organization#overview">{t('servers.off_settings')}</ButtonLink>
            ) : undefined
          }
        >
          {t(owner ? 'servers.off_owner' : 'servers.off')}
        </EmptyState>
      </div>
    </>
  )
}
