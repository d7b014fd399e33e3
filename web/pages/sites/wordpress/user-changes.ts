import type { WordPressFacts, WordPressUser } from '#shared/responses/wordpress.ts'
import { isPlainLogin } from '#shared/rules/wordpress-changes.ts'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { runAction } from '#web/lib/api/api.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { t } from './messages.ts'
import type { WordPress } from './use-wordpress.ts'

/** What changes a user, and what shows the users. */
interface UserChange {
  readonly wordpress: Pick<WordPress, 'change'>
  /** Reads the users again. */
  reload(): Promise<unknown>
}

/** Changes the role of a user, and offers to give back the one before, which the list no longer shows. Never rejects. */
export async function changeRole(
  of: UserChange & { readonly roles: WordPressFacts['roles'] },
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

/** Makes a user a super admin of the network, or ends that, and offers to undo it. Never rejects. */
export async function setSuperAdmin(of: UserChange, login: string, isOne: boolean, undoable = true): Promise<void> {
  const changed = await of.wordpress.change(
    'set_super_admin',
    { login, enabled: isOne ? 1 : 0 },
    { key: `user ${login}` },
  )
  await of.reload()
  if (changed === null) return
  const undo = () => setSuperAdmin(of, login, !isOne, false)
  showToast({
    title: t(isOne ? 'users.super_added' : 'users.super_removed', { login }),
    variant: 'success',
    ...(undoable && { action: undoButton({ undo }) }),
  })
}

/** Gives a user another username, and offers the one before. Rejects if the site refuses it; an undo says so itself. */
export async function renameUser(
  { site, reload }: { readonly site: string } & Pick<UserChange, 'reload'>,
  login: string,
  renamed: string,
  undoable = true,
): Promise<void> {
  await runAction('Site', site, 'rename_wordpress_user', { login, new_login: renamed })
  await reload()
  // WordPress has names that nobody can choose here.
  const canUndo = undoable && isPlainLogin(login)
  const undo = () => renameUser({ site, reload }, renamed, login, false)
  showToast({
    title: t('users.renamed', { login, renamed }),
    variant: 'success',
    ...(canUndo && { action: undoButton({ undo }) }),
  })
}
