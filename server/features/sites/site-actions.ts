import { controller, type ActionEntry, type Controller, type ExternalCall } from '#server/contracts/controller.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { WordPressPerson } from '#server/engines/engine.ts'
import type { EngineWith } from '#server/engines/facets.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import { isWordPressLogin } from '#shared/rules/wordpress-changes.ts'
import type { SitesDeps } from './deps.ts'
import { insertBackup } from './backups/backup-job.ts'
import { enqueueFor } from './enqueue-site.ts'
import { requireCapability } from './engine-of.ts'
import { wordpressPerson } from './wordpress-users/wordpress-person.ts'
import { siteCall } from './site-call.ts'
import { wasLive } from './site-hooks.ts'

/** Lifetime of a login link, in seconds. */
const loginLinkSeconds = 30

/** Actions of a Site. The store checks state and permissions first. */
export function siteActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      async login_link(site, { user, network }, { tx, session }) {
        if (user === null)
          return loginCall(deps, tx, site, session, {
            needs: 'login_link',
            entry: (person) => ({ after: { wordpress_user: person.name, wordpress_role: person.role } }),
            link: (engine, ref, person) =>
              engine.loginLink(ref, person, loginLinkSeconds, network === 1 ? 'network' : undefined),
          })
        if (!isWordPressLogin(user)) throw new AppError('invalid', msg`This is not a valid value.`, { field: 'user' })
        return loginCall(deps, tx, site, session, {
          needs: 'wordpress',
          entry: () => ({ action: 'site.login_as', detail: untranslated(user), after: { wordpress_user: user } }),
          link: (engine, ref, person) => engine.wordpress.loginAs(ref, person, user, loginLinkSeconds),
        })
      },

      files_folder: (site, _args, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'files',
          run: async (engine, ref) => ({ folder: await engine.filesFolder(ref) }),
        }),

      async set_php_version(site, args, { tx }) {
        const { engine, server } = await requireCapability(deps, tx, site, 'php_version')
        const version = String(args.php_version)
        const versions = engine.phpVersions(server)
        if (!versions.includes(version)) {
          throw new AppError('invalid', msg`PHP must be one of ${versions} on this server.`, {
            field: 'php_version',
          })
        }
        if (version === site.php_version)
          throw new AppError('invalid', msg`The site already runs PHP ${version}.`, { field: 'php_version' })
        return enqueueFor(deps, tx, site, 'site.set_php_version', { from: site.php_version, to: version })
      },

      restart: (site, _args, { tx }) => enqueueFor(deps, tx, site, 'site.restart'),
      reload: (site, _args, { tx }) => enqueueFor(deps, tx, site, 'site.reload'),
      rebuild: (site, _args, { tx }) => enqueueFor(deps, tx, site, 'site.rebuild'),

      async archive(site, { backup }, { tx }) {
        if (!wasLive(site)) {
          throw new AppError(
            'invalid',
            msg`This site was never finished, so there is nothing to archive. Delete it permanently, or retry its creation.`,
          )
        }
        if (backup !== 1) return enqueueFor(deps, tx, site, 'site.archive')
        if (site.status !== 'Live')
          throw new AppError('invalid', msg`Only a site that is live can be backed up first.`, {
            field: 'backup',
            nextAction: msg`Archive it without a backup.`,
          })
        return enqueueFor(deps, tx, site, 'site.archive', {
          backup: await insertBackup(deps, tx, site, { kind: 'final' }),
        })
      },

      restore_archive: (site, _args, { tx }) => enqueueFor(deps, tx, site, 'site.restore_archive'),

      async delete_permanently(doc, _args, { tx }) {
        return enqueueFor(deps, tx, doc, 'site.delete')
      },
    },
  })
}

/**
 * A link to the site's admin area. The caller is recorded as a WordPress user of the site before and after it is made: once their
 * rights end, so do sessions that the link started, and who lost them meanwhile never sees it.
 */
async function loginCall<K extends 'login_link' | 'wordpress'>(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  session: Session,
  call: {
    readonly needs: K
    entry(person: WordPressPerson): ActionEntry
    link(engine: EngineWith<K>, ref: SiteRef, person: WordPressPerson): Promise<string>
  },
): Promise<ExternalCall> {
  if (site.site_type !== 'wp' || !site.admin_user)
    throw new AppError('unsupported', msg`Only a WordPress site has an admin area.`)
  const clock = deps.clock ?? systemClock
  const person = await wordpressPerson(tx, site, session, clock)
  return siteCall(deps, tx, site, {
    needs: call.needs,
    changes: true,
    unseen: true,
    entry: call.entry(person),
    async run(engine, ref) {
      const url = await call.link(engine, ref, person)
      return async (_now, { tx: ending }) => {
        await wordpressPerson(ending, site, session, clock)
        return { url }
      }
    },
  })
}
