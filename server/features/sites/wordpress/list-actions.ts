import { controller, type ActionResult, type Controller, type ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { EngineWith } from '#server/engines/facets.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { usersPerPage } from '#shared/responses/wordpress.ts'
import type { SitesDeps } from '../deps.ts'
import { siteCall } from '../site-call.ts'

/** Lists of what a site's WordPress has, read from it at once. The store checks state and permissions first. */
export function wordpressLists(deps: SitesDeps): Controller {
  const call = async (
    tx: Tx,
    site: Site,
    run: (engine: EngineWith<'wordpress'>, ref: SiteRef) => Promise<ActionResult>,
  ): Promise<ExternalCall> => siteCall(deps, tx, site, { needs: 'wordpress', run })

  return controller(SiteDoctype, {
    actions: {
      list_plugins: (site, _args, { tx }) =>
        call(tx, site, async (engine, ref) =>
          (await engine.wordpress.plugins(ref)).map(({ id, ...plugin }) => ({ plugin: id, ...plugin })),
        ),
      list_themes: (site, _args, { tx }) =>
        call(tx, site, async (engine, ref) =>
          (await engine.wordpress.inspect(ref)).themes.map(({ id, ...theme }) => ({ theme: id, ...theme })),
        ),
      list_users: (site, _args, { tx }) => call(tx, site, allUsers),
    },
  })
}

/** Most users that are listed. */
const maxUsers = 1_000

async function allUsers(engine: EngineWith<'wordpress'>, ref: SiteRef): Promise<ActionResult> {
  const users: { user: string; login: string; name: string; email: string; role: string | null }[] = []
  for (let page = 0; users.length < maxUsers; page += 1) {
    const { rows, total } = await engine.wordpress.users(ref, { search: '', page })
    for (const { login, name, email, roles } of rows)
      users.push({ ...{ user: login, login, name, email }, role: roles[0] ?? null })
    if (rows.length < usersPerPage || users.length >= total) break
  }
  return users
}
