import { controller, type Controller } from '#server/contracts/controller.ts'
import { assertNotLocked } from '#server/jobs/enqueue.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import { isWordPressLogin } from '#shared/rules/wordpress-changes.ts'
import type { SitesDeps } from './deps.ts'
import { enqueueFor } from './enqueue-site.ts'
import { translateEngineErrors, engineFor, requireCapability, siteRef } from './engine-of.ts'
import { serverOf } from './server-ref.ts'
import { wordpressPerson } from './wordpress-users/wordpress-person.ts'
import { siteCall } from './site-call.ts'
import { wasLive } from './site-hooks.ts'

/** Lifetime of a login link, in seconds. */
const loginLinkSeconds = 30

/** Actions of a Site. The store checks state and permissions first. */
export function siteActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      async login_link(site, { network }, { tx, session }) {
        await assertNotLocked(tx, site)
        const engine = engineFor(deps.engines, site)
        const server = await serverOf(tx, site)
        requireCapability(engine, server, 'login_link')
        if (site.site_type !== 'wp' || !site.admin_user)
          throw new AppError('unsupported', msg`Only a WordPress site has an admin area.`)
        const person = await wordpressPerson(tx, site, session, deps.clock ?? systemClock)
        const url = await translateEngineErrors(
          engine.loginLink(siteRef(site, server), person, loginLinkSeconds, network === 1 ? 'network' : undefined),
        )
        await tx.activity({
          action: 'Site.login_link',
          organization: site.organization,
          reference_doctype: 'Site',
          reference_name: site.name,
          reference_title: site.domain,
          after: { wordpress_user: person.name, wordpress_role: person.role },
        })
        return { url }
      },

      async login_as(site, { login }, { tx, session }) {
        if (site.site_type !== 'wp' || !site.admin_user)
          throw new AppError('unsupported', msg`Only a WordPress site has an admin area.`)
        if (!isWordPressLogin(login)) throw new AppError('invalid', msg`This is not a valid value.`, { field: 'login' })
        // Recorded like "Open admin": once these rights end, so do sessions that the link started.
        const person = await wordpressPerson(tx, site, session, deps.clock ?? systemClock)
        return siteCall(deps, tx, site, {
          needs: 'login_link',
          changes: true,
          unseen: true,
          entry: { detail: untranslated(login), after: { wordpress_user: login } },
          run: async (engine, ref) => ({ url: await engine.wordpress.loginAs(ref, person, login, loginLinkSeconds) }),
        })
      },

      async files_folder(site, _args, { tx }) {
        const engine = engineFor(deps.engines, site)
        return { folder: engine.filesFolder(siteRef(site, await serverOf(tx, site))) }
      },

      async set_php_version(site, args, { tx }) {
        const engine = engineFor(deps.engines, site)
        const server = await serverOf(tx, site)
        requireCapability(engine, server, 'php_version')
        const version = String(args.php_version)
        if (site.site_type === 'html')
          throw new AppError('unsupported', msg`A plain HTML site runs no PHP.`, { field: 'php_version' })
        const versions = engine.phpVersions(server)
        if (!versions.includes(version)) {
          throw new AppError('invalid', msg`PHP must be one of ${versions} on this server.`, {
            field: 'php_version',
          })
        }
        if (version === site.php_version)
          throw new AppError('invalid', msg`The site already runs PHP ${version}.`, { field: 'php_version' })
        return {
          job: await enqueueFor(deps, tx, site, 'site.set_php_version', { from: site.php_version, to: version }),
        }
      },

      async archive(site, _args, { tx }) {
        requireCapability(engineFor(deps.engines, site), await serverOf(tx, site), 'archive')
        if (!wasLive(site)) {
          throw new AppError(
            'invalid',
            msg`This site was never finished, so there is nothing to archive. Delete it permanently, or retry its creation.`,
          )
        }
        return { job: await enqueueFor(deps, tx, site, 'site.archive') }
      },

      async restore_archive(site, _args, { tx }) {
        requireCapability(engineFor(deps.engines, site), await serverOf(tx, site), 'archive')
        return { job: await enqueueFor(deps, tx, site, 'site.restore_archive') }
      },

      async delete_permanently(doc, _args, { tx }) {
        return { job: await enqueueFor(deps, tx, doc, 'site.delete') }
      },
    },
  })
}
