import * as z from 'zod/mini'
import type { SiteRef } from './site-ref.ts'

const text = z.string().check(z.maxLength(300))

/** What can be wrong with a WordPress, as its engine finds it. Texts come from the site. */
export const wordpressHealthFacts = z.object({
  /** Visitors see PHP errors. */
  errors_shown: z.boolean(),
  /** The admin area has editors for the code of plugins and themes. */
  file_editing: z.boolean(),
  /** An administrator has the login name `admin`, which attackers try first. */
  default_admin: z.boolean(),
  /** The host runs PHP files among the uploads. */
  uploads_php: z.boolean(),
  /** Scheduled events are paused, and those that should have run by now; `hook` and `seconds` of the oldest. */
  events_paused: z.boolean(),
  late_events: z.nullable(z.object({ count: z.int(), hook: text, seconds: z.int() })),
})

/** What can be wrong with a WordPress, as its engine finds it. */
export type WordPressHealthFacts = z.infer<typeof wordpressHealthFacts>

/** A look at a WordPress from inside. */
export interface WordPressHealth {
  /**
   * Reads the facts (wakes a sleeping site). Throws EngineError `unsupported` for a site without WordPress, `conflict` while it is
   * not ready, `unavailable` if its own code keeps WordPress from loading.
   */
  inspect(site: SiteRef, signal?: AbortSignal): Promise<WordPressHealthFacts>
}
