import { msg } from '#shared/localized-message.ts'
import { lateEventSeconds } from '#shared/rules/scheduled-events.ts'
import { EngineError } from '../engine.ts'
import type { WordPressHealth } from '../wordpress-health.ts'
import type { FakeContext } from './fake-context.ts'
import { existingSite } from './fake-store.ts'
import { newWordPress } from './fake-wordpress-state.ts'

/** Finds what the file of a fake site says. */
export function createFakeHealth(context: FakeContext): WordPressHealth {
  return {
    async inspect(site) {
      const { siteType, state, management, adminUser, settings } = existingSite(context, site)
      if (siteType !== 'wp')
        throw new EngineError('unsupported', msg`Only a WordPress site has this.`, {
          nextAction: msg`Choose a WordPress site.`,
        })
      if (state !== 'running')
        throw new EngineError('conflict', msg`WordPress can only be managed while the site is ready.`, {
          nextAction: msg`Wait until the site is ready.`,
        })
      const { facts, users } = management ?? newWordPress(adminUser)
      const protections = settings?.protections ?? []
      const { paused, rows } = facts.events
      const seconds = (at: number) => Math.floor(context.now() / 1000) - at
      const late = paused ? [] : rows.filter(({ at }) => seconds(at) > lateEventSeconds)
      const [oldest] = late
      return {
        errors_shown: false,
        file_editing: !protections.includes('no_file_editing'),
        default_admin: users.some(({ login, roles }) => login === 'admin' && roles.includes('administrator')),
        uploads_php: !protections.includes('no_uploads_php'),
        events_paused: paused,
        late_events: oldest ? { count: late.length, hook: oldest.hook, seconds: seconds(oldest.at) } : null,
      }
    },
  }
}
