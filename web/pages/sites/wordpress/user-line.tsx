import { Ellipsis, KeyRound, LogIn, Network, Trash2, UserPen } from 'lucide-react'
import type { WordPressFacts, WordPressUser } from '#shared/responses/wordpress.ts'
import { useOpenAdmin } from '#web/features/sites/open-admin.ts'
import { Tag } from '#web/ui/chip.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Menu, MenuItem } from '#web/ui/overlay/menu.tsx'
import { t } from './messages.ts'
import { sortedRoles } from './sorted-roles.ts'
import type { WordPress } from './use-wordpress.ts'

/** What is asked before a user is changed. */
export type UserQuestion = 'reset' | 'rename' | 'delete' | 'super_admin'

/** A WordPress user in the list, with their role and what can be done. */
export function UserLine({
  user,
  wordpress: { site, facts, held, changing },
  roles,
  onAsk,
  onRole,
}: {
  user: WordPressUser
  wordpress: WordPress
  roles: WordPressFacts['roles']
  onAsk: (kind: UserQuestion) => void
  onRole: (role: string) => Promise<void>
}) {
  const { login } = user
  const openAdmin = useOpenAdmin()
  const [role = ''] = user.roles
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-[1_1_220px]">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <span translate="no" className="wrap-anywhere">
            {login}
          </span>
          {user.from_login ? <Tag>{t('users.from_login')}</Tag> : null}
          {user.super_admin ? <Tag>{t('users.super_admin')}</Tag> : null}
        </p>
        <p className="text-table text-muted wrap-anywhere" translate="no">
          {[user.name === login ? '' : user.name, user.email].filter(Boolean).join(' · ')}
        </p>
      </div>
      <div className="ml-auto flex items-center gap-1.5">
        <Select
          small
          aria-label={t('users.role', { login })}
          value={role}
          disabled={held !== null || changing !== null || user.from_login}
          onChange={(event) => void onRole(event.target.value)}
        >
          {role === '' ? <option value="">{t('users.no_role')}</option> : null}
          {role !== '' && !Object.hasOwn(roles, role) ? <option value={role}>{role}</option> : null}
          {sortedRoles(roles).map(([key, name]) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </Select>
        <Menu
          trigger={
            <IconButton size="md" label={t('users.menu_of', { login })}>
              <Ellipsis size={16} strokeWidth={1.75} aria-hidden="true" />
            </IconButton>
          }
        >
          <MenuItem
            icon={<LogIn size={16} strokeWidth={1.75} aria-hidden="true" />}
            reason={
              held ??
              (site.status === 'Live' ? null : t('users.login_not_live')) ??
              (user.from_login ? t('users.login_personal') : null)
            }
            onSelect={() => void openAdmin(site, { as: login })}
          >
            {t('users.login_as')}
          </MenuItem>
          <MenuItem
            icon={<KeyRound size={16} strokeWidth={1.75} aria-hidden="true" />}
            reason={held}
            onSelect={() => onAsk('reset')}
          >
            {t('users.reset')}
          </MenuItem>
          <MenuItem
            icon={<UserPen size={16} strokeWidth={1.75} aria-hidden="true" />}
            reason={held}
            onSelect={() => onAsk('rename')}
          >
            {t('users.rename')}
          </MenuItem>
          {facts?.multisite ? (
            <MenuItem
              icon={<Network size={16} strokeWidth={1.75} aria-hidden="true" />}
              reason={held ?? (user.from_login ? t('users.login_personal') : null)}
              onSelect={() => onAsk('super_admin')}
            >
              {t(user.super_admin ? 'users.super_remove' : 'users.super_add')}
            </MenuItem>
          ) : null}
          <MenuItem
            danger
            icon={<Trash2 size={16} strokeWidth={1.75} aria-hidden="true" />}
            reason={held}
            onSelect={() => onAsk('delete')}
          >
            {t('users.delete')}
          </MenuItem>
        </Menu>
      </div>
    </li>
  )
}
