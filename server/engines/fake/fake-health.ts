import { lateEventSeconds } from '#shared/rules/scheduled-events.ts'
import type { WordPressHealth } from '../wordpress-health.ts'
import type { FakeContext } from './fake-context.ts'
import { runningWordPress } from './fake-store.ts'
import { newWordPress } from './fake-wordpress-state.ts'

/** Finds what the file of a fake site says. */
export function createFakeHealth(context: FakeContext): WordPressHealth {
  return {
    async inspect(site) {
      const { management, adminUser, settings } = runningWordPress(context, site)
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
