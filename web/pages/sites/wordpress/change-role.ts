import type { WordPressFacts, WordPressUser } from '#shared/responses/wordpress.ts'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { t } from './messages.ts'
import type { WordPress } from './use-wordpress.ts'

/** What changes the role of a user, and what shows the users. */
interface RoleChange {
  readonly wordpress: Pick<WordPress, 'change'>
  readonly roles: WordPressFacts['roles']
  /** Reads the users again. */
  reload(): Promise<unknown>
}

/** Changes the role of a user, and offers to give back the one before, which the list no longer shows. Never rejects. */
export async function changeRole(
  of: RoleChange,
  user: Pick<WordPressUser, 'login' | 'roles'>,
  role: string,
  undoable = true,
): Promise<void> {
  const { login, roles } = user
  const changed = await of.wordpress.change('set_wordpress_role', { login, role }, { key: `user ${login}` })
  await of.reload()
  if (changed === null) return
  const [before] = roles
  // Several roles can't be given back.
  const canUndo = undoable && before !== undefined && roles.length === 1
  const undo = () => changeRole(of, { login, roles: [role] }, String(before), false)
  showToast({
    title: t('users.role_changed', { login, role: of.roles[role] ?? role }),
    variant: 'success',
    ...(canUndo && { action: undoButton({ undo }) }),
  })
}
