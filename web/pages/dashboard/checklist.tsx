import { Play } from 'lucide-react'
import type { ReactNode } from 'react'
import { CreateButton } from '#web/documents/form/create-button.tsx'
import { localBackups } from '#shared/rules/backups.ts'
import { storeText, useStores } from '#web/features/backups/use-stores.ts'
import { canCreateServers } from '#web/features/servers/can-create-servers.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { boot } from '#web/lib/session/boot.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { startTour } from '#web/lib/session/tour-list.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Logo } from '#web/ui/images/logo.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { t } from './messages.ts'

/** Circumference of the ring's radius 17, in px. */
const around = 2 * Math.PI * 17

function Ring({ done, all }: { done: number; all: number }) {
  return (
    <span
      role="img"
      aria-label={t('start.progress', { done, all })}
      className="relative grid size-10 flex-none place-items-center"
    >
      <svg width="40" height="40" viewBox="0 0 40 40" aria-hidden="true" className="absolute">
        <circle cx="20" cy="20" r="17" fill="none" stroke="var(--track)" strokeWidth="4" />
        <circle
          cx="20"
          cy="20"
          r="17"
          fill="none"
          stroke="var(--brand)"
          strokeWidth="4"
          strokeLinecap="round"
          strokeDasharray={`${(around * done) / all} ${around}`}
          transform="rotate(-90 20 20)"
        />
      </svg>
      <b aria-hidden="true" className="text-meta font-semibold">{`${done}/${all}`}</b>
    </span>
  )
}

function DoneRow({ title, detail }: { title: string; detail: ReactNode }) {
  return (
    <li className="grid grid-cols-[20px_minmax(0,1fr)_auto] items-center gap-3 px-4 py-3">
      <StatusIcon tone="ok" size={20} />
      <div className="min-w-0">
        <p className="font-medium text-muted">{title}</p>
        <p className="truncate text-table text-muted">{detail}</p>
      </div>
      <span className="text-meta text-muted">{t('start.done')}</span>
    </li>
  )
}

/** A step that can be done now or later. */
function OpenRow({ title, text, to, button }: { title: string; text: string; to: string; button: string }) {
  return (
    <li className="grid grid-cols-[20px_minmax(0,1fr)_auto] items-center gap-3 px-4 py-3">
      <StatusIcon tone="none" size={20} />
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <p className="text-table text-muted">{text}</p>
      </div>
      <ButtonLink to={to} size="md">
        {button}
      </ButtonLink>
    </li>
  )
}

/** The step to the first site: creating it, or the server that it needs, which not everybody can create. */
function FirstSite() {
  const session = useSession()
  const hasNoServer = useCount('Server', { filters: [['status', '=', 'Healthy']] }).data === 0
  const canCreate = canCreateServers(session)
  return (
    <>
      {hasNoServer ? null : <p className="text-table text-muted">{t('start.site_text')}</p>}
      <div className="mt-3 grid max-w-md gap-2 rounded-card border border-border bg-surface p-4 shadow-xs">
        <Logo className="size-8" />
        <div>
          <h2>{t(hasNoServer ? 'start.no_server_title' : 'start.here')}</h2>
          <p className="mt-0.5 text-table text-muted">
            {!hasNoServer
              ? t('start.here_text')
              : canCreate
                ? t('start.no_server_create')
                : t(session.modules.ee ? 'start.no_server_ask' : 'start.no_server')}
          </p>
        </div>
        {!hasNoServer ? (
          <CreateButton to="/site/create" block>
            {t('start.here_button')}
          </CreateButton>
        ) : canCreate ? (
          <CreateButton to="/server/create" block>
            {t('start.server_button')}
          </CreateButton>
        ) : null}
      </div>
    </>
  )
}

/** Dashboard of an organization without sites: completed steps, and the next one to the first site. */
export function Checklist({ organization }: { organization: { name: string; title: string; owner: boolean } }) {
  const session = useSession()
  const { email } = session
  const { admin, owner, privileged: invites } = sessionRoles(session)
  const people = useCount('User').data
  const invited = invites && people !== undefined && people > 1
  const choosesStore = admin || owner
  const stores = useStores(choosesStore ? organization.name : null).data
  // The folder of this machine is where they go unless somebody chooses.
  const store = stores && stores.default !== localBackups ? storeText(stores.default, stores) : null
  return (
    <div className="grid items-start gap-8 xl:grid-cols-[minmax(0,1fr)_320px]">
      <div className="min-w-0">
        <div className="mb-5 flex items-center gap-4">
          <Ring done={2 + Number(invited) + Number(store !== null)} all={3 + Number(invites) + Number(choosesStore)} />
          <div className="min-w-0">
            <h1 tabIndex={-1} className="wrap-anywhere">
              {t('start.title', { organization: organization.title })}
            </h1>
            <p className="text-muted">{t('start.text')}</p>
          </div>
        </div>
        <Card>
          <ul className="divide-y divide-hairline">
            <DoneRow
              title={organization.owner ? t('start.organization') : t('start.joined')}
              detail={`${organization.title}, ${organization.name}`}
            />
            {/* Without a mail server nobody has opened a link that was sent there. */}
            <DoneRow title={t(boot().mail_server ? 'start.email' : 'start.account')} detail={email} />
            {invited ? <DoneRow title={t('start.team')} detail={t('start.team_size', { count: people })} /> : null}
            {store === null ? null : <DoneRow title={t('start.backups')} detail={store} />}
            <li
              aria-current="step"
              className="grid grid-cols-[20px_minmax(0,1fr)] items-start gap-3 last:rounded-b-card bg-[color-mix(in_oklab,var(--brand-bg)_40%,var(--surface))] px-4 py-3"
            >
              <span aria-hidden="true" className="size-5 rounded-full border-[5px] border-brand bg-on-brand" />
              <div className="min-w-0">
                <p className="font-semibold">{t('start.site')}</p>
                <FirstSite />
              </div>
            </li>
            {invites && !invited ? (
              <OpenRow
                title={t('start.team')}
                text={t('start.team_text')}
                to="/user?invite=1"
                button={t('start.team_button')}
              />
            ) : null}
            {choosesStore && store === null ? (
              <OpenRow
                title={t('start.backups')}
                text={t('start.backups_text')}
                to="/organization#backup_providers"
                button={t('start.backups_button')}
              />
            ) : null}
          </ul>
        </Card>
      </div>
      <div className="grid gap-4">
        <Preview />
        <Card>
          <CardHead title={t('start.tour')} />
          <CardBody className="grid justify-items-start gap-3">
            <p className="text-table text-muted">{t('start.tour_text')}</p>
            <Button size="md" onClick={() => startTour('onboardingv2')}>
              <Play size={14} strokeWidth={1.75} aria-hidden="true" className="text-muted" />
              {t('start.tour_button')}
            </Button>
          </CardBody>
        </Card>
      </div>
    </div>
  )
}

/** Preview of the dashboard. */
function Preview() {
  return (
    <Card>
      <CardHead title={t('start.preview')} />
      <CardBody>
        <ul className="grid gap-3 rounded-card border border-dashed border-m-quiet p-4 text-table">
          <PreviewLine icon={<StatusIcon tone="bad" />} text={t('start.preview_broken')} width="w-[70%]" />
          <PreviewLine
            icon={<StatusIcon tone="info" busy className="[animation:none]" />}
            text={t('start.preview_jobs')}
            width="w-[88%]"
          />
          <PreviewLine icon={<StatusIcon tone="ok" />} text={t('start.preview_sites')} width="w-[54%]" />
        </ul>
      </CardBody>
    </Card>
  )
}

function PreviewLine({ icon, text, width }: { icon: ReactNode; text: string; width: string }) {
  return (
    <li className="flex items-center gap-3">
      {icon}
      <span className="flex-1">
        {text}
        <span aria-hidden="true" className={`mt-1.5 block h-1.5 rounded-xs bg-track ${width}`} />
      </span>
    </li>
  )
}
