import type { WordPressHealthFacts } from '#server/engines/wordpress-health.ts'
import {
  findingKinds,
  observables,
  type Finding,
  type FindingKind,
  type SiteFindings,
  type SlowPage,
} from '#shared/responses/site-findings.ts'
import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import type { PhpErrors } from './php-errors.ts'
import { slowPageMs, type SlowPages } from './slow-pages.ts'

/** Everything that findings are made of. */
export interface Observed {
  /** From inside; a text: why WordPress does not load. */
  readonly health: WordPressHealthFacts | string
  /** Errors of the last day. */
  readonly phpErrors: PhpErrors
  /** The last reading of plugins and themes; null: there was none. */
  readonly facts: WordPressFacts | null
  /** 95 % of the checks of the last day were faster, in milliseconds; null: none were made. */
  readonly p95Ms: number | null
  /** Requests of the last day that took long; null: there were none, or not all could be read. */
  readonly slowPages: SlowPages | null
  /** Share in use of the disk quota, or without one of the server's disk, 0 to 1; null: unknown. */
  readonly diskShare: number | null
  /** The PHP version of the site, if it is old; null: it is not. */
  readonly oldPhp: string | null
}

/** Share of the disk from which it counts as nearly full. */
const fullShare = 0.9

/** What was found, most urgent first, and what could not be looked at. Nothing is reported that was not observed. */
export function findingsOf(observed: Observed): Pick<SiteFindings, 'findings' | 'not_observed'> {
  const found = new Map<FindingKind, Omit<Finding, 'kind'>>()
  const add: Add = (kind, count = null, detail = null, { at_least = false, pages = [] } = {}) =>
    found.set(kind, { count, detail: detail?.slice(0, 300) ?? null, pages: [...pages], at_least })
  const { health, phpErrors, facts, p95Ms, slowPages, diskShare, oldPhp } = observed
  if (typeof health === 'string') add('broken', null, health)
  else addHealth(health, add)
  if (phpErrors.count > 0) add('php_errors', phpErrors.count, phpErrors.last, { at_least: phpErrors.atLeast })
  if (diskShare !== null && diskShare >= fullShare) add('disk', Math.floor(diskShare * 100))
  if (p95Ms !== null && p95Ms > slowPageMs) add('slow', Math.round(p95Ms))
  if (slowPages !== null && slowPages.count > 0)
    add('slow_pages', slowPages.count, null, { at_least: slowPages.atLeast, pages: slowPages.pages })
  if (oldPhp !== null) add('old_php', null, oldPhp)
  if (facts !== null) addUpdates(facts, add)
  const findings = findingKinds.flatMap((kind) => {
    const one = found.get(kind)
    return one ? [{ kind, ...one }] : []
  })
  const observable = {
    inside: typeof health !== 'string',
    updates: facts !== null,
    speed: p95Ms !== null,
    pages: slowPages !== null,
    disk: diskShare !== null,
  }
  return { findings, not_observed: observables.filter((one) => !observable[one]) }
}

type Add = (
  kind: FindingKind,
  count?: number | null,
  detail?: string | null,
  more?: { readonly at_least?: boolean; readonly pages?: readonly SlowPage[] },
) => unknown

function addHealth(health: WordPressHealthFacts, add: Add): void {
  for (const kind of ['errors_shown', 'uploads_php', 'file_editing', 'default_admin', 'events_paused'] as const)
    if (health[kind]) add(kind)
  if (health.late_events) add('late_events', health.late_events.count, health.late_events.hook)
}

function addUpdates({ update, plugins, themes }: WordPressFacts, add: Add): void {
  const outdated = (all: readonly { readonly update: string | null }[]) =>
    all.filter((one) => one.update !== null).length
  if (update !== null) add('core_update', null, update)
  if (outdated(plugins) > 0) add('plugin_updates', outdated(plugins))
  if (outdated(themes) > 0) add('theme_updates', outdated(themes))
}
