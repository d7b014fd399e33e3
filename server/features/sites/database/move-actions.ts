import { controller, type Controller } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'

/** Moves to another kind of database. The store checks state and permissions first. */
export function databaseMoveActions(deps: SitesDeps): Controller {
  const move = async (tx: Tx, site: Site, to: SiteDatabaseKind) => {
    if (site.site_type !== 'wp') throw new AppError('unsupported', msg`Only a WordPress site has a database.`)
    await assertNoStaging(tx, site)
    return enqueueFor(deps, tx, site, `site.move_to_${to}`)
  }
  return controller(SiteDoctype, {
    actions: {
      move_to_mysql: (site, _args, { tx }) => move(tx, site, 'mysql'),
      move_to_sqlite: (site, _args, { tx }) => move(tx, site, 'sqlite'),
    },
  })
}

/** A comparison reads what the same kind of database had when staging was created. */
async function assertNoStaging(tx: Tx, site: Site): Promise<void> {
  const copies = await tx.list(SiteDoctype, [['staging_of', '=', site.name]])
  if (site.staging_of === null && copies.length === 0) return
  throw new AppError('conflict', msg`A site that has a staging site, or is one, keeps the kind of database it has.`, {
    nextAction: msg`Delete the staging site first.`,
  })
}
