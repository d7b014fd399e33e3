import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { siteAndEngine, siteOf, type SiteJobArgs } from '../job-parts.ts'
import { checkUsersOf, checkWordPressUsers } from './check-users.ts'
import { forgetWordPressUsers } from './user-table.ts'
import { writerRole } from './wordpress-person.ts'

/**
 * `site.sync_users`: removes the WordPress users of people who can no longer open the admin of the site. The site stays
 * locked until it ends, so nobody gets a new link meanwhile.
 */
export function syncUsersJob(deps: SitesDeps): JobDefinition<SiteJobArgs> {
  return {
    type: 'site.sync_users',
    label: ({ referenceTitle }) => `Remove former WordPress users of ${referenceTitle}`,
    deadlineSeconds: 600,
    cancel: { possible: false, reason: 'People who lost their access must not keep a WordPress user.' },
    nextAction: () => msg`Check that the site opens, then retry. Easydash tries again in six hours.`,
    // However many jobs wait for the site.
    comesFirst: ({ doctype, name }) => (doctype === 'Site' ? checkWordPressUsers(deps, name) : Promise.resolve()),
    steps: async (context) => [
      {
        key: 'users',
        label: 'Update the WordPress users',
        deadlineSeconds: 300,
        run: () => syncUsers(deps, context),
      },
    ],
  }
}

async function syncUsers(deps: SitesDeps, context: JobContext<SiteJobArgs>): Promise<void> {
  const site = await siteOf(context)
  const { keep, remove } = await context.transaction((tx) => checkUsersOf(deps, tx, site))
  const { site: ref, engine } = await siteAndEngine(deps, context, 'login_link')
  await engine.syncUsers(
    ref,
    keep.map(({ key }) => ({ key, role: writerRole })),
    site.admin_user ?? '',
  )
  const removed = remove.map(({ key }) => key)
  await context.transaction((tx) => forgetWordPressUsers(tx, context.referenceName, removed))
  context.log(`Users removed: ${removed.length}.`)
}
