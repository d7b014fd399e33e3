import { DenialReason } from '#web/documents/errors/denial-reason.tsx'
import { lazy } from 'react'
import { usePathParams } from '#web/lib/routing/route-match.ts'
import type { User } from '#shared/doctypes/user.ts'
import { useHashTab, useHiddenTab } from '#web/lib/routing/use-hash-tab.ts'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { sessionRoles, useSession, type Session } from '#web/lib/session/session.tsx'
import { useFailureToast } from '#web/lib/api/use-failure-toast.ts'
import { useTitle } from '#web/lib/routing/use-title.ts'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { HiddenTabNotice } from '#web/ui/hidden-tab-notice.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StillLoading } from '#web/ui/still-loading.tsx'
import { TabPanel, Tabs } from '#web/ui/tabs.tsx'
import { t } from './messages.ts'
import { PersonalInfoTab } from './personal-info-tab.tsx'

const RolesTab = lazy(() => import('./roles-tab.tsx').then((module) => ({ default: module.RolesTab })))
const SettingsTab = lazy(() => import('./settings-tab.tsx').then((module) => ({ default: module.SettingsTab })))

const allTabs = ['personal-info', 'rolesandpermission', 'settings'] as const
type TabId = (typeof allTabs)[number]

/** Tabs of a user's page for this viewer: roles and sharing for admins, settings for the user themselves. */
export function userTabs(session: Session, user: string): [TabId, ...TabId[]] {
  const { admin, owner } = sessionRoles(session)
  const tabs: [TabId, ...TabId[]] = ['personal-info']
  if (session.organization && (admin || owner)) tabs.push('rolesandpermission')
  if (session.user === user) tabs.push('settings')
  return tabs
}

/** A user's page: who they are, what they can do here, and for the user themselves their login settings. */
export function UserPage() {
  const name = usePathParams()['user'] ?? ''
  const session = useSession()
  const { data: user, error, isSlow, reload } = useDoc('User', name)
  const tabs = userTabs(session, name)
  const [tab, openTab] = useHashTab(tabs)
  const hidden = useHiddenTab(allTabs, tabs)
  // A missing user isn't a load error; the page shows it.
  useFailureToast(t('user.error_title'), error?.httpStatus === 404 ? null : error)
  const { admin, manager } = sessionRoles(session)
  const self = session.user === name
  const title = user ? (user.full_name ?? name) : self ? session.fullName : null
  // The own account is not a part of the user list, which members can't open at all.
  useTitle(title, !self && (admin || manager) ? undefined : [])

  if (error?.httpStatus === 404) {
    return (
      <EmptyState
        page
        title={t('user.missing_title')}
        action={
          admin || manager ? (
            <ButtonLink to="/user">{t('user.back')}</ButtonLink>
          ) : (
            <ButtonLink to="/">{t('user.home')}</ButtonLink>
          )
        }
      >
        {t('user.missing')}
      </EmptyState>
    )
  }
  if (error && !user) {
    return (
      <ErrorPanel page title={t('user.error_title')} error={error} onRetry={() => reload()}>
        <DenialReason error={error} doctype="User" name={name} />
      </ErrorPanel>
    )
  }
  return (
    <>
      <UserHead name={name} user={user} self={self} />
      <Tabs
        label={t('user.tabs')}
        tabs={tabs.map((id) => ({ id, label: t(`user.${id}`) }))}
        current={tab}
        onChange={(id) => openTab(tabs.find((known) => known === id) ?? 'personal-info')}
      />
      {hidden === null ? null : (
        <HiddenTabNotice
          tab={t(`user.${hidden}`)}
          reason={t(hidden === 'settings' ? 'user.settings_hidden' : 'user.roles_hidden')}
        />
      )}
      <StillLoading slow={isSlow} />
      <TabPanel id={tab}>
        {user === undefined ? (
          <Skeleton className="h-64 w-full rounded-card" />
        ) : tab === 'settings' ? (
          <SettingsTab user={user} />
        ) : tab === 'rolesandpermission' ? (
          <RolesTab user={user} />
        ) : (
          <PersonalInfoTab user={user} self={self} />
        )}
      </TabPanel>
    </>
  )
}

function UserHead({ name, user, self }: { name: string; user: User | undefined; self: boolean }) {
  return (
    <div className="mb-3 flex min-h-14 items-center gap-3.5">
      {user ? (
        <Avatar size="xl" name={user.full_name ?? name} image={user.user_image} />
      ) : (
        <Skeleton className="size-12 rounded-full" />
      )}
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-2">
          <h1 tabIndex={-1} className="min-w-0 wrap-anywhere">
            {user ? (user.full_name ?? name) : <Skeleton className="h-5 w-44" />}
          </h1>
          {self ? <Tag>{t('user.you')}</Tag> : null}
        </div>
        {/* Members see only names, so don't repeat the email from the URL. */}
        {user === undefined ? (
          <Skeleton className="mt-1 h-3 w-56" />
        ) : user.email ? (
          <p className="text-table wrap-anywhere text-muted">{user.email}</p>
        ) : null}
      </div>
    </div>
  )
}
