import { controller, type Controller } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { isStableVersion } from '#shared/rules/wordpress-versions.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { siteCall } from '../site-call.ts'
import { readFacts, readPackageChecksums } from '../wordpress/facts-table.ts'
import type { CoreArgs } from './core-job.ts'

/** Actions on the version of WordPress and the originals of its files. */
export function coreActions(deps: SitesDeps): Controller {
  const enqueue = async (tx: Tx, site: Site, args: Omit<CoreArgs, 'wasDown'>): Promise<{ job: string }> =>
    enqueueFor(deps, tx, site, 'site.change_core', { ...args, wasDown: site.health === 'Down' })
  return controller(SiteDoctype, {
    actions: {
      wordpress_versions: async (site, _args, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'core_version',
          run: (engine, ref) => engine.core.versions(ref),
        }),
      package_checksums: async (site, _args, { tx }) => readPackageChecksums(tx, site.name),
      compare_wordpress_file: async (site, { path }, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'checksums',
          run: (engine, ref) => engine.originals.compare(ref, path),
        }),
      set_core: async (site, { version }, { tx }) => {
        if (!isStableVersion(version)) {
          throw new AppError('invalid', msg`This is not a valid value.`, { field: 'version' })
        }
        return enqueue(tx, site, { to: { version }, title: version })
      },
      roll_back_wordpress: async (site, { database }, { tx }) => {
        const { facts } = await readFacts(tx, site.name)
        if (facts?.previous === null) {
          throw new AppError('invalid', msg`No earlier version of WordPress is kept.`)
        }
        const to = { previous: true, database: database === 1 } as const
        return enqueue(tx, site, { to, title: facts?.previous.version ?? '' })
      },
    },
  })
}
