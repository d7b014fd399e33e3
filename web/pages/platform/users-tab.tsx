import { MoreHorizontal } from 'lucide-react'
import { Fragment, useState } from 'react'
import { usersPage, type PlatformUser } from '#shared/responses/platform.ts'
import { methodCurl, methodListCurl } from '#web/documents/actions/copy-as.ts'
import { copyCommand } from '#web/documents/actions/copy-command.ts'
import { t as actionText } from '#web/documents/actions/messages.ts'
import type { RowColumn } from '#web/documents/list/column-rows.tsx'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Menu, MenuItem, MenuSeparator } from '#web/ui/overlay/menu.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { platformMethod } from './methods.ts'
import { PagedList } from './paged-list.tsx'
import { pageParams, useTabQuery } from './tab-query.ts'
import { t } from './messages.ts'
import { usePlatformMethod } from './use-platform-method.ts'
import { userActions, type UserAction } from './user-actions.ts'

/** Display name, else the email. */
const nameOf = (user: PlatformUser): string => user.full_name || user.email

/** All accounts of the installation. */
export function UsersTab() {
  const session = useSession()
  const [query, change] = useTabQuery('users', ['enabled'])
  const params = { ...(query.text !== '' && { txt: query.text }), ...pageParams(query) }
  const list = useMethod(platformMethod('users'), params, { keepPrevious: true, returns: usersPage })
  const runner = usePlatformMethod(() => list.reload())
  const [confirming, setConfirming] = useState<{ user: PlatformUser; action: UserAction } | null>(null)
  const [failure, setFailure] = useState<string | null>(null)

  const paramsOf = (user: PlatformUser, wanted: UserAction) => ({ user: user.email, ...wanted.params })
  const run = (user: PlatformUser, wanted: UserAction, quiet: boolean) =>
    runner.run(wanted.method, paramsOf(user, wanted), t(`user.${wanted.name}_done`, { name: nameOf(user) }), quiet)
  const commandOf = (user: PlatformUser, wanted: UserAction) =>
    methodCurl(platformMethod(wanted.method), paramsOf(user, wanted), location.origin)
  /** Actions that can be copied as a command; none on the user's own account. */
  const copyable = (user: PlatformUser) => (user.email === session.user ? [] : userActions(user))

  const columns: readonly RowColumn<PlatformUser>[] = [
    {
      key: 'email',
      head: t('users.person'),
      cell: (row) => (
        <span className="flex items-center gap-2.5">
          <Avatar name={nameOf(row)} />
          <span className="min-w-0">
            <span className="flex items-center gap-1.5">
              <span className="truncate">{nameOf(row)}</span>
              {row.email === session.user ? <Tag>{t('users.you')}</Tag> : null}
            </span>
            <span className="block text-meta font-normal wrap-anywhere text-muted">{row.email}</span>
          </span>
        </span>
      ),
    },
    {
      key: 'status',
      head: t('users.status'),
      cell: (row) =>
        row.enabled === 0 ? (
          <StatusPill tone="bad" inset>
            {t('users.disabled')}
          </StatusPill>
        ) : row.verified === 0 ? (
          <StatusPill tone="warn" inset>
            {t('users.unverified')}
          </StatusPill>
        ) : (
          <StatusPill tone="ok">{t('users.enabled')}</StatusPill>
        ),
    },
    {
      key: 'roles',
      head: t('users.roles'),
      cell: (row) => (
        <span className="inline-flex flex-wrap gap-1 max-md:justify-end">
          {row.platform_admin === 1 ? <Tag tone="brand">{t('users.platform_admin')}</Tag> : null}
          {row.platform_user === 1 ? <Tag>{t('users.platform_user')}</Tag> : null}
          {row.platform_admin + row.platform_user === 0 ? t('common.none') : null}
        </span>
      ),
    },
    {
      key: 'organizations',
      head: t('users.organizations'),
      right: true,
      wide: true,
      cell: (row) => formatNumber(row.organizations),
    },
    {
      key: 'last',
      head: t('users.last_sign_in'),
      cell: (row) =>
        row.last_sign_in ? (
          <Time value={row.last_sign_in} className="text-muted" />
        ) : (
          <span className="text-muted">{t('users.never')}</span>
        ),
    },
    {
      key: 'creation',
      head: t('users.created'),
      wide: true,
      cell: (row) => <Time value={row.creation} className="text-muted" />,
    },
  ]
  return (
    <>
      <PagedList
        label={t('platform.users')}
        query={query}
        onChange={change}
        loaded={list}
        rows={list.data?.users}
        total={list.data?.total ?? 0}
        rowKey={(row) => row.email}
        columns={columns}
        command={() => methodListCurl(platformMethod('users'), params, location.origin)}
        actions={(row) => (
          <Menu
            trigger={
              <IconButton label={t('list.row_menu', { title: nameOf(row) })}>
                <MoreHorizontal size={16} strokeWidth={1.75} aria-hidden="true" />
              </IconButton>
            }
          >
            {userActions(row).map((wanted) => (
              <MenuItem
                key={wanted.name}
                danger={wanted.danger}
                {...(row.email === session.user && { reason: t('users.own') })}
                onSelect={() => {
                  if (wanted.asks) setConfirming({ user: row, action: wanted })
                  else void run(row, wanted, false)
                }}
              >
                {t(`user.${wanted.name}`)}
              </MenuItem>
            ))}
            {/* Actions with a dialog offer their command there. */}
            {copyable(row).map((wanted, index) => (
              <Fragment key={wanted.name}>
                {index === 0 ? <MenuSeparator /> : null}
                <MenuItem onSelect={() => void copyCommand(commandOf(row, wanted))}>
                  {actionText('copy.action', { action: t(`user.${wanted.name}`) })}
                </MenuItem>
              </Fragment>
            ))}
          </Menu>
        )}
        search={t('users.search')}
        filters={[
          {
            name: 'enabled',
            label: t('users.status'),
            options: [
              { value: '1', label: t('users.enabled') },
              { value: '0', label: t('users.disabled') },
            ],
          },
        ]}
        errorTitle={t('users.error')}
        empty={{ title: t('users.empty_title'), text: t('users.empty') }}
      />
      {confirming ? (
        <AlertDialog
          open
          onOpenChange={(open) => {
            if (!open) setConfirming(null)
            setFailure(null)
          }}
          title={t(`user.${confirming.action.name}_title`, { name: nameOf(confirming.user) })}
          confirmLabel={t(`user.${confirming.action.name}`)}
          danger={confirming.action.danger}
          error={failure}
          onConfirm={async () => {
            const localized = await run(confirming.user, confirming.action, true)
            setFailure(localized)
            if (localized === null) setConfirming(null)
          }}
        >
          <p>{t(`user.${confirming.action.name}_text`)}</p>
          <p className="mt-2">{t('users.activity')}</p>
        </AlertDialog>
      ) : null}
    </>
  )
}
