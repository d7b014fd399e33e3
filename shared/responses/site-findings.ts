import * as z from 'zod/mini'
import { described, timestamp } from '../schema.ts'

/** What a look at a WordPress can find, most urgent first. */
export const findingKinds = [
  'broken',
  'php_errors',
  'errors_shown',
  'uploads_php',
  'late_events',
  'events_paused',
  'disk',
  'slow',
  'slow_pages',
  'old_php',
  'core_update',
  'plugin_updates',
  'theme_updates',
  'default_admin',
  'file_editing',
] as const

/** One of `findingKinds`. */
export type FindingKind = (typeof findingKinds)[number]

/** What a look can be unable to see: WordPress from inside, versions, the time of the homepage and of pages, and the share of the disk. */
export const observables = ['inside', 'updates', 'speed', 'pages', 'disk'] as const

/** Most pages of a finding. */
export const maxSlowPages: number = 5

const slowPage = z.object({
  path: described(z.string().check(z.maxLength(300)), 'Without the query'),
  count: described(z.int(), 'Slow requests of it'),
  slowest_ms: z.int(),
})

/** A page that was slow for visitors. */
export type SlowPage = z.infer<typeof slowPage>

const finding = z.object({
  kind: z.enum(findingKinds),
  count: described(
    z.nullable(z.int().check(z.nonnegative())),
    'How many (of `slow_pages`: requests that took over two seconds); milliseconds of a slow homepage, percent of the disk; null where there is nothing to count',
  ),
  detail: described(
    z.nullable(z.string().check(z.maxLength(300))),
    'Text of the site: the error, the late event or the new version; of `old_php`: its version of PHP',
  ),
  pages: described(z.array(slowPage).check(z.maxLength(maxSlowPages)), 'The slowest pages (`slow_pages` only)'),
  at_least: described(z.boolean(), 'The number is a lower bound: not everything was read'),
})

/** One thing found at a WordPress. */
export type Finding = z.infer<typeof finding>

/** What was found at a WordPress (`check_wordpress_health`). */
export const siteFindings = z.object({
  checked_at: timestamp,
  findings: described(
    z.array(finding).check(z.maxLength(findingKinds.length)),
    'Most urgent first; empty: nothing found',
  ),
  not_observed: described(z.array(z.enum(observables)), 'What could not be looked at this time'),
})

/** What was found at a WordPress. */
export type SiteFindings = z.infer<typeof siteFindings>

/** The same in words (`site_health`). */
export const siteHealth = z.array(
  z.object({
    id: described(z.string(), 'Kind of the finding; `unknown_…`: this could not be looked at'),
    severity: z.enum(['critical', 'warning', 'info']),
    text: z.string(),
    fix: described(z.string(), 'What to do'),
  }),
)

/** A finding in words. */
export type HealthFinding = z.infer<typeof siteHealth>[number]
