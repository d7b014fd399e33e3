import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import { EngineError } from '#server/engines/engine.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { siteAndEngine, siteOf, type SiteJobArgs } from '../job-parts.ts'
import { checkUsersOf, checkWordPressUsers } from './check-users.ts'
import { recordGoneUsers, recordPausedUsers, type StoredUserRow } from './user-table.ts'
import { writerRole } from './wordpress-person.ts'

/**
 * `site.sync_users`: removes the WordPress users of people who can no longer open the admin of the site, or pauses them while its
 * organization is disabled. The site stays locked until it ends, so nobody gets a new link meanwhile.
 */
export function syncUsersJob(deps: SitesDeps): JobDefinition<SiteJobArgs> {
  return {
    type: 'site.sync_users',
    label: ({ referenceTitle }) => `Update the WordPress users of ${referenceTitle}`,
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
  const { keep, pause, remove } = await context.transaction((tx) => checkUsersOf(deps, tx, site))
  const { site: ref, engine } = await siteAndEngine(deps, context, 'login_link')
  const { removed, gone } = await engine.syncUsers(ref, {
    keep: keep.map(({ key }) => ({ key, role: writerRole })),
    pause: pause.map(({ key }) => key),
    remove: remove.map(({ key }) => key),
    reassignTo: site.admin_user ?? '',
  })
  // The site can be hostile: whoever it does not name stays on record, and is tried again.
  const goneOf = (rows: readonly StoredUserRow[]) => rows.map(({ key }) => key).filter((key) => gone.includes(key))
  const [isPaused, isRemoved] = [goneOf(pause), goneOf(remove)]
  await context.transaction(async (tx) => {
    await recordGoneUsers(tx, context.referenceName, isRemoved)
    await recordPausedUsers(tx, context.referenceName, isPaused)
  })
  // People whose link was never used have none.
  context.log(
    `Users removed: ${removed}, of ${remove.length} people. Users without access for now: ${isPaused.length}.`,
  )
  const left = pause.length + remove.length - isPaused.length - isRemoved.length
  if (left === 0) return
  throw new EngineError('unavailable', msg`WordPress users of people without access are still there: ${left}.`, {
    nextAction: msg`Check that the site opens, then retry. Easydash tries again in six hours.`,
  })
}
