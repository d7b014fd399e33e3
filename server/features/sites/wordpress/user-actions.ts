import { controller, type Controller, type ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import type { WordPressChange } from '#shared/rules/wordpress-changes.ts'
import type { SitesDeps } from '../deps.ts'
import { writeSite } from '../job-parts.ts'
import { generatePassword } from '#server/platform/secrets/generate-password.ts'
import { siteCall } from '../site-call.ts'
import { changeWordPress } from './change-wordpress.ts'
import { inspectAndStore } from './inspect.ts'
import { loginName, newLogin, roleKey } from './valid-names.ts'

/** Actions on the users of a site's WordPress. The store checks state and permissions first. */
export function wordpressUserActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      add_wordpress_user: (site, { login, email, role }, { tx }) =>
        withPassword(deps, tx, site, login, {
          kind: 'add_user',
          login: loginName(login),
          email,
          role: roleKey(role),
        }),
      set_wordpress_role: (site, { login, role }, { tx }) =>
        changeWordPress(deps, tx, site, {
          given: { kind: 'set_role', login: loginName(login), role: roleKey(role) },
          title: `${login}: ${role}`,
        }),
      reset_wordpress_password: (site, { login }, { tx }) => withPassword(deps, tx, site, loginName(login), null),
      rename_wordpress_user: (site, { login, new_login }, { tx }) =>
        renameUser(deps, tx, site, {
          kind: 'rename_user',
          login: loginName(login),
          to: newLogin(new_login),
        }),
      delete_wordpress_user: (site, { login, reassign_to }, { tx }) => {
        if (login === reassign_to) {
          throw new AppError('invalid', msg`Choose another user as the new author.`, { field: 'reassign_to' })
        }
        const given = { login: loginName(login), reassign_to: loginName(reassign_to, 'reassign_to') }
        return changeWordPress(deps, tx, site, { given: { kind: 'delete_user', ...given }, title: login })
      },
    },
  })
}

/** Sets a new password, after `before` if it is given. The password is in the response alone. */
function withPassword(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  login: string,
  before: WordPressChange | null,
): Promise<ExternalCall> {
  return siteCall(deps, tx, site, {
    needs: 'wordpress',
    changes: true,
    unseen: true,
    entry: { detail: untranslated(login) },
    async run(engine, ref) {
      const password = generatePassword()
      if (before) await engine.wordpress.change(ref, before)
      await engine.wordpress.setPassword(ref, login, password)
      if (before) await inspectAndStore(deps, engine, ref)
      return { password }
    },
  })
}

/** The site's document follows a renamed administrator: clones and removed users hand their content to that name. */
function renameUser(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  given: Extract<WordPressChange, { kind: 'rename_user' }>,
): Promise<ExternalCall> {
  const { login, to } = given
  if (login === to) throw new AppError('invalid', msg`Choose another username.`, { field: 'new_login' })
  return siteCall(deps, tx, site, {
    needs: 'wordpress',
    changes: true,
    unseen: true,
    entry: { detail: untranslated(`${login} → ${to}`) },
    async run(engine, ref) {
      const { ran } = await engine.wordpress.change(ref, given)
      await deps.documents().transaction(systemSession(), async (own) => {
        const known = await own.get(SiteDoctype, ref.id)
        if (known?.admin_user === login) await writeSite(own, ref.id, { admin_user: to })
      })
      return { ran }
    },
  })
}
